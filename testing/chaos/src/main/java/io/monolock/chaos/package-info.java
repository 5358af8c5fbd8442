// SPDX-License-Identifier: Apache-2.0

/**
 * A program that injects faults into servers, connections and clients while locks are used, and
 * checks that no guarantee of Monolock is broken.
 *
 * <p>Read it in this order:
 *
 * <ul>
 *   <li>{@link io.monolock.chaos.Chaos} is the command line, {@code Experiment} one run: it starts
 *       servers and client JVMs, injects faults, ends all in order, and checks;
 *   <li>{@link io.monolock.chaos.ChaosClient} is a client JVM with several {@code ChaosWorker}s.
 *       Each makes random calls ({@code CallPlan}); a {@code RecordingSubscriber} and a {@code
 *       HandleWatch} turn what the caller sees into {@code CallEvent}s, which the {@code Journal}
 *       prints for the experiment;
 *   <li>{@code ChaosServers} are the servers of a {@code ChaosTopology} behind proxies. {@code
 *       FailOvers} observes at the servers which keys have a new master that may lack writes;
 *   <li>the {@code FaultInjector} chooses each {@code Fault} from a seed: faults of the servers,
 *       {@code NetworkFaults}, and stopped clients;
 *   <li>the {@code Checker} finds a {@code Violation} in the {@code History} of all events, and
 *       {@code ChaosReport} prints the result.
 * </ul>
 *
 * <p>{@code LateDeadline} and {@code ReleaseWithoutToken} break the library on purpose, to show
 * that the checker notices.
 */
@NullMarked
package io.monolock.chaos;

import org.jspecify.annotations.NullMarked;
