// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.DelegatingLockStore;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.test.CommandRecorder;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.retry.Retry;

/** What Reactor does and users do not expect: fatal errors, lost results, contexts, schedulers. */
class ReactorSemanticsTest extends LockerBehindProxy {

  private static final LockOptions BRIEF = LockOptions.of(Duration.ofMillis(600));

  ReactorSemanticsTest(RedisServer server) {
    super(server);
  }

  static Stream<Function<Lock, Mono<Object>>> fatalBodies() {
    return Stream.of(
        lock -> {
          throw new NoClassDefFoundError("fatal");
        },
        lock ->
            Mono.fromCallable(
                () -> {
                  throw new NoClassDefFoundError("fatal");
                }),
        lock ->
            Mono.just(1)
                .map(
                    any -> {
                      throw new NoClassDefFoundError("fatal");
                    }));
  }

  @ParameterizedTest
  @MethodSource("fatalBodies")
  @DisplayName("B124: a fatal error of the body is the result, and the key is free")
  void fatalErrorWhileSubscribing(Function<Lock, Mono<Object>> body) {
    assertThatThrownBy(() -> locker.withLock("key", OPTIONS, body).block(LIMIT))
        .satisfies(e -> assertThat(Stream.of(e, e.getCause())).anyMatch(this::isFatal));
    awaitFree("key", SOON);
  }

  private boolean isFatal(Throwable e) {
    return e instanceof NoClassDefFoundError;
  }

  @Test
  @DisplayName(
      "B124: after a fatal error on another thread, which no subscriber notices, maxHold ends it")
  void fatalErrorElsewhere() {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    assertThatThrownBy(
            () ->
                locker
                    .withLock(
                        "key",
                        LockOptions.of(Duration.ofSeconds(1)).maxHold(Duration.ofMillis(1_500)),
                        lock ->
                            Mono.delay(Duration.ofMillis(10), Schedulers.single())
                                .map(
                                    any -> {
                                      throw new NoClassDefFoundError("fatal");
                                    }))
                    .block(LIMIT))
        .isInstanceOfSatisfying(
            LockLostException.class,
            e -> assertThat(e.reason()).isEqualTo(LockLostException.Reason.MAX_HOLD));
    assertThat(Thread.getDefaultUncaughtExceptionHandler()).isSameAs(before);
    awaitFree("key", SOON);
  }

  @Test
  @DisplayName(
      "B125: a release that is not answered neither replaces the result nor delays it long")
  void unansweredRelease() {
    Mono<String> result =
        locker.withLock(
            "key",
            OPTIONS,
            lock ->
                Mono.fromCallable(
                        () -> {
                          proxy.dropReplies(true);
                          return "RESULT";
                        })
                    .subscribeOn(Schedulers.boundedElastic()));
    long before = System.nanoTime();
    assertThat(result.block(LIMIT)).isEqualTo("RESULT");
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  @DisplayName("B125: without a connection to release over, the body's own error is the result")
  void impossibleRelease() {
    IllegalStateException own = new IllegalStateException("own");
    Mono<Object> result =
        locker.withLock(
            "key",
            OPTIONS,
            lock ->
                Mono.fromCallable(
                        () -> {
                          proxy.refuse();
                          proxy.cut();
                          throw own;
                        })
                    .subscribeOn(Schedulers.boundedElastic()));
    assertThatThrownBy(() -> result.block(LIMIT)).isSameAs(own);
    proxy.accept();
    awaitFree("key", Duration.ofSeconds(3));
  }

  @Test
  @DisplayName("B127: Redis is asked as often as the spec says, and the last error is ours")
  void asManyAttemptsAsTheSpecSays() {
    server.command("SET", "key", "token-of-another-cli-1", "PX", "60000");
    AtomicInteger retries = new AtomicInteger();
    LockOptions four =
        OPTIONS.retry(
            // long enough for the answer that makes the server say when to try again
            Retry.fixedDelay(3, Duration.ofMillis(300))
                .doBeforeRetry(signal -> retries.incrementAndGet()));
    try (CommandRecorder recorder = CommandRecorder.of(server)) {
      assertThatThrownBy(() -> locker.acquire("key", four).block(LIMIT))
          .isInstanceOfSatisfying(
              LockNotAcquiredException.class, e -> assertThat(e.attempts()).isEqualTo(4));
      // one more makes the server say when to try again
      assertThat(recorder.commands("evalsha")).hasSizeBetween(4, 5);
      assertThat(retries).hasValue(3);
    }
  }

  @Test
  @DisplayName("B128: a retry spec that contradicts itself shows its error and leaves no key")
  void contradictorySpec() {
    server.command("SET", "key", "token-of-another-cli-1", "PX", "60000");
    LockOptions contradictory =
        OPTIONS.retry(
            Retry.backoff(5, Duration.ofMillis(100)).maxBackoff(Duration.ofMillis(10)).jitter(0.5));
    assertThatThrownBy(() -> locker.acquire(List.of("key", "other"), contradictory).block(LIMIT))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(isFree("other")).isTrue();
  }

  @Test
  @DisplayName(
      "B129, B30: acquisition, refresh and release see the subscriber's Context on all exits")
  void everyCallSeesTheContext() {
    ContextOfCalls store = new ContextOfCalls(store());
    ReactiveLocker traced = ReactiveLocker.create(store);
    try {
      Context context = Context.of("trace", "42");
      traced
          .withLock("value", BRIEF, lock -> store.called("extend [value] 42"))
          .contextWrite(context)
          .block(LIMIT);
      assertThatThrownBy(
              () ->
                  traced
                      .withLock("error", BRIEF, lock -> Mono.error(new IllegalStateException()))
                      .contextWrite(context)
                      .block(LIMIT))
          .isInstanceOf(IllegalStateException.class);
      CompletableFuture<Object> running = new CompletableFuture<>();
      var cancelled =
          traced
              .withLock(
                  "cancel", BRIEF, lock -> Mono.never().doOnSubscribe(any -> running.complete(any)))
              .contextWrite(context)
              .subscribe();
      running.join();
      cancelled.dispose();
      awaitNoKeys(SOON);
    } finally {
      traced.close().block(LIMIT);
    }
    assertThat(store.calls)
        .contains(
            "acquire [value] 42",
            "extend [value] 42",
            "release [value] 42",
            "release [error] 42",
            "release [cancel] 42")
        .allMatch(call -> call.endsWith(" 42"));
  }

  /** A store that notes the Context of each call. */
  private static final class ContextOfCalls extends DelegatingLockStore {

    private final Queue<String> calls = new ConcurrentLinkedQueue<>();

    ContextOfCalls(LockStore store) {
      super(store);
    }

    /** Completes when there has been this call. */
    Mono<Void> called(String call) {
      return Flux.interval(Duration.ofMillis(10)).takeUntil(any -> calls.contains(call)).then();
    }

    private <T> Mono<T> noted(String call, LockKeys keys, Mono<T> answer) {
      return Mono.deferContextual(
          context -> {
            calls.add(call + " " + keys.asSet() + " " + context.getOrDefault("trace", "none"));
            return answer;
          });
    }

    @Override
    public Mono<Grant> acquire(
        LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
      return noted("acquire", keys, store.acquire(keys, token, metadata, ttl, fenced));
    }

    @Override
    public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
      return noted("extend", keys, store.extend(keys, token, ttl));
    }

    @Override
    public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
      return noted("release", keys, store.release(keys, token, keepFor));
    }

    @Override
    public Mono<Duration> remaining(LockKeys keys, String token) {
      return noted("remaining", keys, store.remaining(keys, token));
    }
  }

  @Test
  @DisplayName(
      "B132: waiters and bodies end, and keys are freed, though their scheduler is disposed")
  void disposedScheduler() {
    server.command("SET", "busy", "token-of-another-cli-1", "PX", "60000");
    Scheduler mortal = Schedulers.newParallel("mortal", 1);
    ReactiveLocker onMortal =
        ReactiveLocker.builder(store()).publishOn(mortal).commandTimeout(COMMAND_TIMEOUT).build();
    try {
      LockOptions refreshed = LockOptions.of(Duration.ofSeconds(1));
      CompletableFuture<Object> body =
          onMortal.withLock("key", refreshed, lock -> Mono.never()).toFuture();
      awaitTaken("key");
      CompletableFuture<Lock> waiter =
          onMortal.acquire("busy", OPTIONS.waitAtMost(Duration.ofMillis(600))).toFuture();
      Lock raw = onMortal.acquire("raw", OPTIONS).block(LIMIT);
      mortal.dispose();

      server.command("SET", "key", "token-of-another-cli-1", "PX", "60000");
      assertThat(body)
          .failsWithin(SOON)
          .withThrowableThat()
          .withCauseInstanceOf(LockLostException.class);
      assertThat(waiter)
          .failsWithin(SOON)
          .withThrowableThat()
          .withCauseInstanceOf(LockNotAcquiredException.class);
      assertThat(raw.ttl().block(LIMIT)).isPositive();
      raw.extend(Duration.ofMinutes(2)).block(LIMIT);
      assertThat(released(raw)).isTrue();
      assertThat(isFree("raw")).isTrue();
    } finally {
      onMortal.close().block(LIMIT);
    }
  }

  @Test
  @DisplayName(
      "B132: though its timer is disposed, a lock can be released, and nothing hangs for good")
  void disposedTimer() {
    Scheduler mortal = Schedulers.newSingle("mortal-timer");
    ReactiveLocker onMortal = ReactiveLocker.builder(store()).timer(mortal).build();
    Lock lock = onMortal.acquire("key", OPTIONS).block(LIMIT);
    mortal.dispose();

    assertThat(released(lock)).isTrue();
    assertThat(isFree("key")).isTrue();
    onMortal.close().block(LIMIT);
  }
}
