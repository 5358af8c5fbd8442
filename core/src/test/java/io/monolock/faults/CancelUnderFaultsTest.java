// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockerClosedException;
import io.monolock.test.CommandRecorder;
import io.monolock.test.HeldReplies;
import io.monolock.test.RedisServer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** A cancel leaves nothing behind, whatever the network does meanwhile. */
class CancelUnderFaultsTest extends LockerBehindProxy {

  CancelUnderFaultsTest(RedisServer server) {
    super(server);
  }

  private static Mono<Object> mustNotRun(AtomicInteger bodies) {
    return Mono.fromRunnable(bodies::incrementAndGet).then(Mono.never());
  }

  /** Subscribes many and cancels each at a random time before the limit. */
  private static void cancelAtRandom(int count, Duration limit, IntFunction<Mono<?>> what) {
    Flux.range(0, count)
        .flatMap(
            i ->
                what.apply(i)
                    .onErrorComplete()
                    .takeUntilOther(
                        Mono.delay(
                            Duration.ofNanos(ThreadLocalRandom.current().nextLong(limit.toNanos())),
                            Schedulers.single())),
            count)
        .blockLast(LIMIT);
  }

  @Test
  @DisplayName("B24: cancelled while the server is frozen, the key is free as soon as it thaws")
  void whileTheServerIsFrozen() {
    AtomicInteger bodies = new AtomicInteger();
    try (CommandRecorder recorder = CommandRecorder.of(server)) {
      server.pause();
      Disposable scope = locker.withLock("key", OPTIONS, lock -> mustNotRun(bodies)).subscribe();
      scope.dispose();
      server.resume();

      // the attempt was under way, and its release has to follow it
      await().until(() -> recorder.commands("evalsha").size() >= 2);
      awaitFree("key", SOON);
    }
    assertThat(bodies).hasValue(0);
  }

  @Test
  @DisplayName("B24: cancelled while the reply is held, the key is free as soon as it arrives")
  void whileTheReplyIsHeld() {
    AtomicInteger bodies = new AtomicInteger();
    HeldReplies held = proxy.holdReplies();
    Disposable scope = locker.withLock("key", OPTIONS, lock -> mustNotRun(bodies)).subscribe();
    awaitTaken("key");
    scope.dispose();
    held.release();

    awaitFree("key", SOON);
    assertThat(bodies).hasValue(0);
  }

  @Test
  @DisplayName("B24: cancelled and the reply is lost with its connection, the key is free soon")
  void whenTheReplyIsLost() {
    AtomicInteger bodies = new AtomicInteger();
    proxy.dropReplies(true);
    Disposable scope = locker.withLock("key", OPTIONS, lock -> mustNotRun(bodies)).subscribe();
    awaitTaken("key");
    scope.dispose();
    proxy.dropReplies(false);

    awaitFree("key", SOON);
    assertThat(bodies).hasValue(0);
  }

  @Test
  @DisplayName("B24: cancelled while nothing connects, nothing is left when the server is back")
  void whileThereIsNoConnection() {
    AtomicInteger bodies = new AtomicInteger();
    proxy.refuse();
    proxy.cut();
    for (int i = 0; i < 50; i++) {
      locker.withLock("key:" + i, OPTIONS, lock -> mustNotRun(bodies)).subscribe().dispose();
    }
    proxy.accept();

    assertThat(locker.acquire("other", OPTIONS).flatMap(Lock::release).block(LIMIT)).isTrue();
    awaitNoKeys(SOON);
    assertThat(bodies).hasValue(0);
  }

  @Test
  @DisplayName("B23, B33: scopes on three keys, cancelled around a slow grant, leave none of them")
  void aroundASlowGrant() {
    proxy.delayReplies(Duration.ofMillis(5));
    cancelAtRandom(
        300,
        Duration.ofMillis(60),
        i -> locker.withLock(List.of("a:" + i, "b:" + i, "c:" + i), OPTIONS, lock -> Mono.never()));
    awaitNoKeys(SOON);
  }

  @Test
  @DisplayName("B25: a timeout operator swept around the round trip leaves no key of a scope")
  void timeoutOperatorAroundTheRoundTrip() {
    proxy.delayReplies(Duration.ofMillis(5));
    Flux.range(0, 400)
        .flatMap(
            i ->
                locker
                    .withLock("key:" + i, OPTIONS, lock -> Mono.never())
                    .timeout(Duration.ofNanos(4_000_000 + 5_000L * i))
                    .onErrorComplete(),
            8)
        .blockLast(LIMIT);
    awaitNoKeys(SOON);
  }

  @Test
  @DisplayName("B27: after a crowd on one key was cancelled at random, the next one gets it")
  void crowdOnOneKey() {
    proxy.delayReplies(Duration.ofMillis(2));
    for (int round = 0; round < 5; round++) {
      cancelAtRandom(
          50,
          Duration.ofMillis(100),
          i ->
              locker.withLock("key", OPTIONS, lock -> Mono.delay(Duration.ofMillis(i % 3)).then()));
      assertThat(
              locker.acquire("key", OPTIONS.waitAtMost(SOON)).flatMap(Lock::release).block(LIMIT))
          .isTrue();
    }
    awaitNoKeys(SOON);
  }

  @Test
  @DisplayName("B32: a waiter that is cancelled sends no further command")
  void cancelledWaiterIsSilent() {
    server.command("SET", "key", "token-of-another-cli-1", "PX", "60000");
    LockOptions eager = OPTIONS.retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(10)));
    try (CommandRecorder recorder = CommandRecorder.of(server)) {
      Disposable waiter = locker.withLock("key", eager, lock -> Mono.never()).subscribe();
      await().until(() -> recorder.commands("evalsha").size() > 2);
      waiter.dispose();
      sendSomethingElse();

      // what was on its way may still arrive
      await()
          .until(
              () -> {
                CommandRecorder.Mark mark = recorder.mark();
                pass(Duration.ofMillis(200));
                return recorder.since(mark).isEmpty();
              });
    }
  }

  @Test
  @DisplayName("B32: a call that waits for a frozen server fails at once when the locker closes")
  void waitersFailAtOnce() {
    server.pause();
    List<CompletableFuture<Lock>> waiters = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiters.add(locker.acquire("key", OPTIONS).toFuture());
    }
    CompletableFuture<Void> closed = locker.close().toFuture();

    for (CompletableFuture<Lock> waiter : waiters) {
      assertThat(waiter)
          .failsWithin(SOON)
          .withThrowableThat()
          .withCauseInstanceOf(LockerClosedException.class);
    }
    server.resume();
    assertThat(closed).succeedsWithin(LIMIT);
    awaitNoKeys(SOON);
  }

  @Test
  @DisplayName("B34: a slow grant against the end of waiting gives a lock or an error, never both")
  void grantAgainstTheEndOfWaiting() {
    proxy.delayReplies(Duration.ofMillis(5));
    AtomicInteger granted = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    Flux.range(0, 400)
        .flatMap(
            i ->
                locker
                    .acquire(
                        "key:" + i, OPTIONS.waitAtMost(Duration.ofNanos(4_000_000 + 5_000L * i)))
                    .doOnNext(lock -> granted.incrementAndGet())
                    .doOnError(e -> refused.incrementAndGet())
                    .flatMap(Lock::release)
                    .onErrorComplete(),
            8)
        .blockLast(LIMIT);

    assertThat(granted.get() + refused.get()).isEqualTo(400);
    awaitNoKeys(SOON);
  }

  @Test
  @DisplayName("B34: nothing is kept of locks that were released, given up or waited for in vain")
  void nothingIsKept() {
    server.command("SET", "busy", "token-of-another-cli-1", "PX", "60000");
    List<WeakReference<Object>> bodies = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      bodies.addAll(endInEveryWay("key:" + i));
    }
    await()
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(bodies).filteredOn(body -> body.get() != null).isEmpty();
            });
  }

  private List<WeakReference<Object>> endInEveryWay(String key) {
    Object released = new Object();
    Object cancelled = new Object();
    Object refused = new Object();
    locker.withLock(key, OPTIONS, lock -> Mono.just(released)).block(LIMIT);
    locker
        .withLock(key + ":cancelled", OPTIONS, lock -> Mono.just(cancelled).then(Mono.never()))
        .subscribe()
        .dispose();
    assertThatThrownBy(() -> locker.withLock("busy", ONCE, lock -> Mono.just(refused)).block(LIMIT))
        .isInstanceOf(LockNotAcquiredException.class);
    return List.of(
        new WeakReference<>(released),
        new WeakReference<>(cancelled),
        new WeakReference<>(refused));
  }

  @Test
  @DisplayName("B35: a cancel after the end sends nothing any more")
  void cancelAfterTheEnd() {
    try (CommandRecorder recorder = CommandRecorder.of(server)) {
      LateToCancel subscriber = new LateToCancel();
      locker.withLock("key", OPTIONS, lock -> Mono.just("result")).subscribe(subscriber);
      await().until(subscriber.ended::isDone);
      CommandRecorder.Mark end = recorder.mark();

      subscriber.subscription.cancel();
      sendSomethingElse();

      assertThat(recorder.since(end)).noneMatch(command -> command.words().contains("key"));
    }
  }

  /** When it is answered, whatever was sent before has been executed. */
  private void sendSomethingElse() {
    assertThat(locker.inspect("other").blockOptional(LIMIT)).isEmpty();
  }

  /** Keeps its subscription, other than a {@link BaseSubscriber} that has ended. */
  private static final class LateToCancel extends BaseSubscriber<Object> {
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private Subscription subscription;

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      this.subscription = subscription;
      requestUnbounded();
    }

    @Override
    protected void hookOnComplete() {
      ended.complete(null);
    }
  }

  @Test
  @DisplayName("B35: a scope that is forgotten, without any cancel, ends with maxHold")
  void forgottenScopeEnds() {
    LockOptions bounded = LockOptions.of(Duration.ofSeconds(1)).maxHold(Duration.ofMillis(1_500));
    assertThatThrownBy(() -> locker.withLock("key", bounded, lock -> Mono.never()).block(LIMIT))
        .isInstanceOfSatisfying(
            LockLostException.class,
            e -> assertThat(e.reason()).isEqualTo(LockLostException.Reason.MAX_HOLD));
    awaitFree("key", SOON);
  }
}
