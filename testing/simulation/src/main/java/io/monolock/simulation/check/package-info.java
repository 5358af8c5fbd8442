// SPDX-License-Identifier: Apache-2.0
/**
 * What must hold. The {@link io.monolock.simulation.check.Checker} is told of each {@link
 * io.monolock.simulation.check.Call}, each {@link io.monolock.simulation.check.Handle} and each
 * command, and lets every {@link io.monolock.simulation.check.Rule} look at it: one class for one
 * promise, whose first sentence is the promise. {@link io.monolock.simulation.check.Losses} knows
 * what servers have forgotten, which excuses much.
 */
@NullMarked
package io.monolock.simulation.check;

import org.jspecify.annotations.NullMarked;
