// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.Lock;
import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.Transfer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/**
 * Keeps one lock, which never expires, in one atomic word, so that no monitor of its own orders the
 * threads. Calls take effect when they are subscribed and are answered on that thread, unless they
 * are held back.
 */
final class OneLockStore implements LockStore {

  private static final String FREE = "";
  private static final String ANOTHER_PROCESS = "another process";

  private final AtomicReference<String> holder = new AtomicReference<>(FREE);
  private final AtomicInteger attempts = new AtomicInteger();
  private final Sinks.Many<LockKeys> wakeUpSink = Sinks.many().multicast().directBestEffort();
  private final Queue<Runnable> heldBack = new ConcurrentLinkedQueue<>();
  private volatile boolean holdsCalls;
  private volatile boolean holdsAnswers;

  void takeForAnotherProcess() {
    holder.set(ANOTHER_PROCESS);
  }

  void free() {
    holder.set(FREE);
  }

  /** The lock may be free. */
  void wakeUp() {
    wakeUpSink.emitNext(StressLocker.KEYS, Sinks.EmitFailureHandler.FAIL_FAST);
  }

  boolean isFree() {
    return FREE.equals(holder.get());
  }

  boolean isHeldBy(Lock lock) {
    return lock.token().equals(holder.get());
  }

  /** The token that has the lock. */
  String holder() {
    return String.valueOf(holder.get());
  }

  /** How many attempts were made. */
  int attempts() {
    return attempts.get();
  }

  /** From now on calls are on their way to the store until they are let go. */
  void holdCalls() {
    holdsCalls = true;
  }

  /** From now on calls take effect, but their answers are on their way until they are let go. */
  void holdAnswers() {
    holdsCalls = false;
    holdsAnswers = true;
  }

  void holdNothing() {
    holdsCalls = false;
    holdsAnswers = false;
  }

  /** Takes out the oldest of what is on its way; running it lets it arrive. */
  Runnable nextHeldBack() {
    return heldBack.remove();
  }

  private <T> Mono<T> call(Supplier<T> step) {
    return Mono.create(
        sink -> {
          if (holdsCalls) {
            heldBack.add(() -> perform(step, sink));
          } else {
            perform(step, sink);
          }
        });
  }

  private <T> void perform(Supplier<T> step, MonoSink<T> sink) {
    T result = step.get();
    if (holdsAnswers) {
      heldBack.add(() -> sink.success(result));
    } else {
      sink.success(result);
    }
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    attempts.incrementAndGet();
    return call(() -> take(token));
  }

  @Override
  public Mono<Transfer> transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    return call(
        () -> {
          boolean released = free(from);
          return new Transfer(released, take(to));
        });
  }

  private Grant take(String token) {
    String before = holder.compareAndExchange(FREE, token);
    if (FREE.equals(before) || token.equals(before)) {
      return new Grant.Granted(FREE.equals(before), OptionalLong.empty());
    }
    return new Grant.Busy(Optional.empty());
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return call(() -> free(token));
  }

  private boolean free(String token) {
    String present = holder.get();
    return token.equals(present) && holder.compareAndSet(present, FREE);
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return call(() -> token.equals(holder.get()));
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return call(() -> token.equals(holder.get()) ? StressLocker.TTL : Duration.ZERO);
  }

  @Override
  public Mono<Holder> inspect(String key) {
    return Mono.empty();
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return call(() -> !FREE.equals(holder.getAndSet(FREE)));
  }

  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return wakeUpSink.asFlux();
  }

  @Override
  public Mono<Void> close() {
    return Mono.empty();
  }
}
