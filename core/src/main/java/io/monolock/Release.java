// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Frees the keys of one claim. Once begun it cannot be cancelled, and it goes on until the store
 * has answered, refuses for good, or the ttl is over.
 */
final class Release {

  private static final Logger LOG = LoggerFactory.getLogger(Release.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Claim claim;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final Sinks.One<Boolean> outcome = Sinks.one();

  private volatile long begunAt;
  private long until;
  private Supplier<Duration> keepFor = () -> Duration.ZERO;
  private volatile Duration pause = FIRST_PAUSE;
  private volatile boolean maybeDone;
  private volatile @Nullable StoreFailure trouble;

  Release(Claim claim) {
    this.claim = claim;
  }

  /**
   * Begins, unless it has begun before.
   *
   * @param until when the keys are free by themselves
   * @param keepFor how long they are to be kept nevertheless, asked for at each attempt
   */
  void begin(long until, Supplier<Duration> keepFor) {
    if (begun.compareAndSet(false, true)) {
      this.begunAt = claim.runtime.now();
      this.until = until;
      this.keepFor = keepFor;
      claim.whenAnswered(this::attempt);
    }
  }

  boolean hasBegun() {
    return begun.get();
  }

  /** When it was begun, on the locker's clock. */
  long begunAt() {
    return begunAt;
  }

  /** The first outcome, for everybody who asks, whenever it comes and on whatever thread. */
  Mono<Boolean> outcome() {
    return outcome.asMono();
  }

  /** The first outcome, awaited no longer than a command may take, on the users' scheduler. */
  Mono<Boolean> outcomeInTime() {
    LockerRuntime runtime = claim.runtime;
    return outcome()
        .timeout(
            runtime.wheel.delay(runtime.commandTimeout),
            Mono.defer(() -> Mono.error(claim.failure("release", presentTrouble()))))
        .publishOn(runtime.publishOn);
  }

  private StoreFailure presentTrouble() {
    StoreFailure trouble = this.trouble;
    return trouble != null
        ? trouble
        : claim.runtime.unanswered(StoreFailure.Reason.UNKNOWN_OUTCOME);
  }

  private void attempt() {
    if (ended.get()) {
      return;
    }
    LockerRuntime runtime = claim.runtime;
    AtomicBoolean over = new AtomicBoolean();
    Wheel.Task patience =
        runtime.wheel.after(
            runtime.commandTimeout,
            () -> {
              failed(over, runtime.unanswered(StoreFailure.Reason.UNKNOWN_OUTCOME));
              runtime.overdue();
            });
    Answer.hear(
        runtime,
        () -> runtime.store.release(claim.keys, claim.token, keepFor.get()),
        claim.context,
        wasOurs -> {
          patience.cancel();
          answered(wasOurs || maybeDone);
        },
        failure -> {
          patience.cancel();
          failed(over, failure);
        });
  }

  private void failed(AtomicBoolean over, StoreFailure failure) {
    if (!over.compareAndSet(false, true) || ended.get()) {
      return;
    }
    trouble = failure;
    maybeDone |= Answer.isInDoubt(failure);
    LockerRuntime runtime = claim.runtime;
    if (!failure.isTransient()) {
      refused(failure);
    } else if (runtime.now() + pause.toNanos() < until) {
      runtime.wheel.after(pause, this::attempt);
      pause =
          LONGEST_PAUSE.compareTo(pause.multipliedBy(2)) < 0
              ? LONGEST_PAUSE
              : pause.multipliedBy(2);
    } else {
      LOG.warn("{} could not be released and end by their ttl", claim.keys, failure);
      answered(false);
    }
  }

  private void refused(StoreFailure failure) {
    if (ended.compareAndSet(false, true)) {
      LOG.warn("{} must not be released and end by their ttl", claim.keys, failure);
      outcome.tryEmitError(claim.failure("release", failure));
      claim.released(false);
    }
  }

  private void answered(boolean wasOurs) {
    if (ended.compareAndSet(false, true)) {
      outcome.tryEmitValue(wasOurs);
      claim.released(wasOurs);
    }
  }
}
