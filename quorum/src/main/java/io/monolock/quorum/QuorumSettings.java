// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The settings of one quorum, which all its calls share.
 *
 * @param timer clock and timer of all time limits
 * @param memberTimeout how long a member may take to answer
 * @param largestTtl how long any lock in the members lives at most
 * @param restartedMembersVoteAtOnce whether members that may have forgotten locks vote all the same
 * @param random where delays are drawn that must not be the same for all
 */
record QuorumSettings(
    Scheduler timer,
    Duration memberTimeout,
    Duration largestTtl,
    boolean restartedMembersVoteAtOnce,
    Supplier<? extends RandomGenerator> random) {

  /** After this time without an answer, the connection to a member may be dead. */
  static final Duration TIMEOUT = Duration.ofSeconds(2);

  /** How long a member must have forgotten nothing, as clocks differ by 1 %. */
  Duration untilForgotten() {
    return largestTtl.plus(largestTtl.dividedBy(50));
  }

  long now() {
    return timer.now(TimeUnit.NANOSECONDS);
  }

  /** Completes after the delay. */
  Mono<Void> delay(Duration delay) {
    return Mono.create(sink -> sink.onDispose(after(delay, sink::success)));
  }

  /** Runs the action after the delay; never if the timer is disposed. */
  Disposable after(Duration delay, Runnable action) {
    try {
      return timer.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return Disposables.disposed();
    }
  }
}
