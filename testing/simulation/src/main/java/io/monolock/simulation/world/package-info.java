// SPDX-License-Identifier: Apache-2.0
/**
 * Time, processes, servers, and the ways between them. {@link io.monolock.simulation.world.World}
 * orders events; a {@link io.monolock.simulation.world.SimulatedProcess} has a clock and
 * schedulers; a {@link io.monolock.simulation.world.Server} keeps keys in a {@link
 * io.monolock.simulation.world.Keyspace} and carries out {@code Scripts}; a {@link
 * io.monolock.simulation.world.Link} has two {@link io.monolock.simulation.world.Connection}s, over
 * which a {@link io.monolock.simulation.world.SimulatedStore} asks. A {@link
 * io.monolock.simulation.world.Witness} sees it all.
 */
@NullMarked
package io.monolock.simulation.world;

import org.jspecify.annotations.NullMarked;
