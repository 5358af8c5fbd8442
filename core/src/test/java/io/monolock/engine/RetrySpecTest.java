// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.store.StoreProblem.Reason.UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;
import reactor.util.retry.RetryBackoffSpec;

class RetrySpecTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));
  private static final Duration MS_100 = Duration.ofMillis(100);

  private final VirtualLocker v = new VirtualLocker();
  private final List<Long> attemptedAt = new ArrayList<>();

  @BeforeEach
  void anotherHolderHasTheLock() {
    v.get(v.another().tryAcquire("a", Duration.ofHours(1)));
    v.store.always(
        ACQUIRE,
        new ScriptedStore.CallOutcome() {
          @Override
          public <T> Mono<T> of(Mono<T> call) {
            attemptedAt.add(v.time.now(TimeUnit.MILLISECONDS));
            return call;
          }
        });
  }

  private SignalProbe<Lock> waitWith(Retry retry) {
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS.retry(retry)));
    v.pass(Duration.ofSeconds(10));
    return probe;
  }

  private void assertGaveUp(SignalProbe<Lock> probe, int attempts) {
    assertThat(probe.error)
        .isInstanceOfSatisfying(
            LockNotAcquiredException.class,
            busy -> assertThat(busy.attempts()).isEqualTo(attempts));
    assertThat(v.store.count(ACQUIRE)).isEqualTo(attempts);
  }

  static Stream<Retry> specsOfThreeRetries() {
    return Stream.of(
        Retry.max(3),
        Retry.maxInARow(3),
        Retry.fixedDelay(3, MS_100),
        Retry.fixedDelay(3, Duration.ZERO),
        Retry.backoff(3, MS_100).jitter(0),
        Retry.backoff(3, MS_100).transientErrors(true),
        Retry.backoff(3, MS_100).scheduler(Schedulers.parallel()),
        Retry.from(failures -> failures.take(3)),
        Retry.from(failures -> failures.zipWith(Flux.range(1, 3))),
        Retry.withThrowable(failures -> failures.take(3)),
        Retry.from(
            failures ->
                failures.flatMap(
                    failed ->
                        failed.totalRetries() < 3
                            ? Mono.just(failed)
                            : Mono.error(failed.failure()))));
  }

  @ParameterizedTest
  @MethodSource("specsOfThreeRetries")
  @DisplayName("B127: as many attempts as the spec says, and the final error is ours")
  void anySpecIsFollowedToItsEnd(Retry retry) {
    SignalProbe<Lock> probe = waitWith(retry);

    assertGaveUp(probe, 4);
    assertThat(probe.error.getCause()).isNull();
  }

  @Test
  void aSpecThatCompletesAtOnceAllowsOneAttempt() {
    assertGaveUp(waitWith(Retry.from(failures -> Flux.empty())), 1);
  }

  @Test
  void fixedDelaysAreMeasuredByTheTimerOfTheLocker() {
    waitWith(Retry.fixedDelay(3, MS_100));

    assertThat(attemptedAt).containsExactly(0L, 100L, 200L, 300L);
  }

  @Test
  void backoffGrowsUpToItsMaximum() {
    waitWith(Retry.backoff(5, MS_100).maxBackoff(Duration.ofMillis(400)).jitter(0));

    assertThat(attemptedAt).containsExactly(0L, 100L, 300L, 700L, 1_100L, 1_500L);
  }

  @Test
  void aSpecWithoutDelayIsGivenOneMillisecond() {
    v.run(v.locker.acquire("a", OPTIONS.retry(Retry.indefinitely()).waitAtMost(MS_100)));
    v.pass(Duration.ofSeconds(10));

    assertThat(attemptedAt)
        .startsWith(LongStream.range(0, 100).boxed().toArray(Long[]::new))
        .hasSizeBetween(100, 101);
  }

  @Test
  void waitAtMostEndsASpecThatGoesOn() {
    SignalProbe<Lock> probe =
        v.run(
            v.locker.acquire(
                "a",
                OPTIONS
                    .retry(Retry.fixedDelay(Long.MAX_VALUE, MS_100))
                    .waitAtMost(Duration.ofMillis(250))));
    v.pass(Duration.ofSeconds(10));

    assertGaveUp(probe, 3);
  }

  @Test
  void theSpecSeesEachFailureAndItsNumber() {
    List<String> seen = new ArrayList<>();
    v.store.next(ACQUIRE, ScriptedStore.works(), ScriptedStore.fails(UNAVAILABLE, true));
    waitWith(
        Retry.fixedDelay(2, MS_100)
            .doBeforeRetry(
                failed ->
                    seen.add(failed.totalRetries() + failed.failure().getClass().getSimpleName())));

    assertThat(seen).containsExactly("0LockNotAcquiredException", "1LockStoreException");
  }

  @Test
  void theSpecSeesTheContextOfTheSubscriber() {
    List<Object> seen = new ArrayList<>();
    Retry retry =
        Retry.fixedDelay(1, MS_100)
            .doBeforeRetry(failed -> seen.add(failed.retryContextView().get("user")));
    v.run(
        v.locker
            .acquire("a", OPTIONS.retry(retry))
            .contextWrite(context -> context.put("user", "alice")));
    v.pass(Duration.ofSeconds(1));

    assertThat(seen).containsExactly("alice");
  }

  @Test
  void aFilterThatRejectsABusyLockEndsTheWait() {
    assertGaveUp(waitWith(Retry.indefinitely().filter(e -> e instanceof LockStoreException)), 1);
  }

  @Test
  void aFilterThatRejectsStoreTroubleEndsTheWait() {
    v.store.always(ACQUIRE, ScriptedStore.fails(UNAVAILABLE, true));
    SignalProbe<Lock> probe =
        waitWith(Retry.indefinitely().filter(e -> e instanceof LockNotAcquiredException));

    assertThat(probe.error).isInstanceOf(LockStoreException.class);
    assertThat(v.store.count(ACQUIRE)).isEqualTo(1);
  }

  @Test
  void anExceptionThatTheUserMakesOfExhaustionIsDelivered() {
    IllegalStateException own = new IllegalStateException("own");

    assertThat(waitWith(Retry.max(1).onRetryExhaustedThrow((spec, failed) -> own)).error)
        .isSameAs(own);
  }

  @Test
  void anErrorOfTheCompanionIsDelivered() {
    IllegalStateException own = new IllegalStateException("own");

    assertThat(waitWith(Retry.from(failures -> failures.then(Mono.error(own)))).isPending())
        .isFalse();
    assertThat(waitWith(Retry.from(failures -> Flux.error(own))).error).isSameAs(own);
  }

  @Test
  void aSpecThatThrowsEndsTheWaitWithItsException() {
    IllegalStateException own = new IllegalStateException("own");
    Retry retry =
        new Retry() {
          @Override
          public Publisher<?> generateCompanion(Flux<RetrySignal> failures) {
            throw own;
          }
        };

    assertThat(waitWith(retry).error).isSameAs(own);
  }

  @Test
  void aFilterThatThrowsEndsTheWaitWithItsException() {
    IllegalStateException own = new IllegalStateException("own");

    assertThat(
            waitWith(
                    Retry.indefinitely()
                        .filter(
                            e -> {
                              throw own;
                            }))
                .error)
        .isSameAs(own);
  }

  @Test
  void aCallbackThatThrowsEndsTheWaitWithItsException() {
    IllegalStateException own = new IllegalStateException("own");

    assertThat(
            waitWith(
                    Retry.indefinitely()
                        .doBeforeRetry(
                            failed -> {
                              throw own;
                            }))
                .error)
        .isSameAs(own);
  }

  @Test
  @DisplayName(
      "B128: a backoff whose minimum is above its maximum ends the wait, and nothing leaks")
  void aBackoffThatContradictsItselfEndsTheWait() {
    SignalProbe<Lock> probe =
        waitWith(Retry.backoff(3, Duration.ofSeconds(1)).maxBackoff(Duration.ofMillis(10)));

    assertThat(probe.isPending()).isFalse();
    assertThat(probe.error).isNotNull();
    assertThat(v.run(v.locker.close()).end).isNotNull();
  }

  @Test
  void theCompanionOfACancelledWaitIsCancelled() {
    List<String> seen = new ArrayList<>();
    Retry retry =
        Retry.from(failures -> failures.thenMany(Flux.never()).doOnCancel(() -> seen.add("end")));
    v.run(v.locker.acquire("a", OPTIONS.retry(retry))).cancel();
    v.time.advanceTime();

    assertThat(seen).containsExactly("end");
  }

  @Test
  void oneSpecIsSharedByManyAcquisitions() {
    Retry retry = Retry.fixedDelay(3, MS_100);
    SignalProbe<Lock> first = v.run(v.locker.acquire("a", OPTIONS.retry(retry)));
    SignalProbe<Lock> second = v.run(v.locker.acquire("a", OPTIONS.retry(retry)));
    v.pass(Duration.ofSeconds(10));

    assertThat(((LockNotAcquiredException) first.error).attempts()).isEqualTo(4);
    // told of the last refusal when it became the first, and then three retries
    assertThat(((LockNotAcquiredException) second.error).attempts()).isEqualTo(3);
  }

  @Test
  void anAttemptAtTheEndOfTheHoldersTtlIsNotOneOfTheSpecs() {
    v.run(v.locker.forceRelease("a"));
    v.get(v.another().tryAcquire("a", MS_100));
    v.store.next(ACQUIRE, ScriptedStore.works(), ScriptedStore.fails(UNAVAILABLE, true));

    SignalProbe<Lock> probe = waitWith(Retry.fixedDelay(1, Duration.ofSeconds(1)));

    assertThat(probe.value().isValid()).isTrue();
    assertThat(attemptedAt).containsExactly(1_000L);
  }

  @Test
  @DisplayName("G7: code of the user's Retry runs on the scheduler for users only")
  void callbacksOfTheSpecRunOnTheSchedulerForUsers() {
    Scheduler users = Schedulers.newSingle("users");
    Scheduler timer = Schedulers.newSingle("timer");
    Scheduler eventLoop = Schedulers.newSingle("event-loop");
    Queue<String> threads = new ConcurrentLinkedQueue<>();
    Runnable here = () -> threads.add(Thread.currentThread().getName().replaceAll("-\\d+$", ""));
    ScriptedStore store =
        new ScriptedStore(InMemoryLockStore.create())
            .always(ACQUIRE, ScriptedStore.answersOn(eventLoop));
    ReactiveLocker locker = ReactiveLocker.builder(store).timer(timer).publishOn(users).build();
    RetryBackoffSpec delays =
        Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(5))
            .filter(
                e -> {
                  here.run();
                  return true;
                })
            .doBeforeRetry(failed -> here.run())
            .doAfterRetry(failed -> here.run())
            .doBeforeRetryAsync(failed -> Mono.fromRunnable(here));
    Retry retry =
        new Retry() {
          @Override
          public Publisher<?> generateCompanion(Flux<RetrySignal> failures) {
            here.run();
            return Flux.from(delays.scheduler(users).generateCompanion(failures)).doOnCancel(here);
          }
        };
    try {
      Lock holder = locker.acquire("a", Duration.ofSeconds(10)).block();
      for (Retry each : List.of(delays, retry)) {
        Mono<Lock> next = locker.acquire("a", OPTIONS.retry(each)).doOnNext(any -> here.run());
        Mono<Boolean> release = Mono.delay(Duration.ofMillis(50)).then(holder.release());
        holder = next.zipWith(release, (lock, released) -> lock).block();
      }
      locker
          .acquire("a", OPTIONS.retry(retry).waitAtMost(Duration.ofMillis(20)))
          .doOnError(any -> here.run())
          .onErrorComplete()
          .block();
      locker.close().block();
      Mono.fromRunnable(() -> {}).subscribeOn(users).block();
      assertThat(Set.copyOf(threads)).containsExactly("users");
    } finally {
      users.dispose();
      timer.dispose();
      eventLoop.dispose();
    }
  }
}
