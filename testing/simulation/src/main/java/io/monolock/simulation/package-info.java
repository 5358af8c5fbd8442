// SPDX-License-Identifier: Apache-2.0
/**
 * A fleet in virtual time: lockers over stores, servers and links that are simulated, callers that
 * do whatever the API has, faults, and a checker that looks after each step. One seed decides it
 * all.
 *
 * <p>{@link io.monolock.simulation.Simulation} is the command line. {@link
 * io.monolock.simulation.Plan} is what a seed decides before a run begins; of all that could be
 * there, {@link io.monolock.simulation.Swarm} says what is. {@link io.monolock.simulation.Fleet} is
 * one run, {@link io.monolock.simulation.Batch} many of them. {@link
 * io.monolock.simulation.Shrinker} cuts a run down that fails. {@link io.monolock.simulation.Plant}
 * lists faults that are put in to see that the checker finds them.
 *
 * <p>Beneath: {@code world} is time, servers and links; {@code caller} what callers do, one
 * constant for each operation; {@code fault} what goes wrong, one constant for each; {@code check}
 * what must hold, one class for each rule.
 */
@NullMarked
package io.monolock.simulation;

import org.jspecify.annotations.NullMarked;
