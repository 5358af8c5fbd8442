// SPDX-License-Identifier: Apache-2.0
/**
 * A fleet in virtual time: lockers over stores, servers and links that are simulated, callers that
 * do whatever the API has, faults, and a checker that looks after each step. One seed decides it
 * all.
 *
 * <p>{@link io.monolock.simulation.Simulation} is the command line. {@code Plan} is what a seed
 * decides before a run begins; of all that could be there, {@code Swarm} says what is. {@code
 * Fleet} is one run, {@code Batch} many of them. A {@code Caller} does one {@code Operation} after
 * the other, each of which is a {@code Turn} of it; what it asks for is a {@code Wish}, what it
 * does with a lock a {@code Use}, what runs under one a {@code Body}, and how it treats a
 * subscription an {@code Ending}. {@code Fault} lists what goes wrong. {@code Shrinker} cuts a run
 * down that fails. {@code Plant} lists faults that are put in to see that the checker finds them.
 *
 * <p>Beneath: {@code world} is time, servers and links; {@code check} what must hold, one class for
 * each rule.
 */
@NullMarked
package io.monolock.simulation;

import org.jspecify.annotations.NullMarked;
