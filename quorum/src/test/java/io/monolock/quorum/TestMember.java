// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.Incarnation;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;

/** A member in memory that can be down, silent, slow, mute or emptied, as a test says. */
final class TestMember implements LockStore {

  /** What becomes of a call. */
  interface Fate {
    <T> Mono<T> of(Mono<T> call);
  }

  private final Scheduler clock;
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final Sinks.Many<LockKeys> hints = Sinks.many().multicast().directBestEffort();
  private volatile InMemoryLockStore memory;
  private volatile Fate fate = works();
  private volatile int listeners;
  private volatile String server;

  TestMember(Scheduler clock) {
    this.clock = clock;
    this.memory = InMemoryLockStore.create(clock);
  }

  static Fate works() {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call;
      }
    };
  }

  static Fate fails(Reason reason, boolean isTransient) {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.error(new StoreFailure(reason, isTransient, reason + " by test", null));
      }
    };
  }

  /** The server cannot be reached. */
  static Fate down() {
    return fails(Reason.UNAVAILABLE, true);
  }

  /** Is neither executed nor answered. */
  static Fate silent() {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.never();
      }
    };
  }

  /** Is executed, but the answer never comes. */
  static Fate mute() {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call.then(Mono.never());
      }
    };
  }

  /** Is executed, but fails as when the connection breaks. */
  static Fate answerLost() {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call.then(fails(Reason.UNKNOWN_OUTCOME, true).of(call));
      }
    };
  }

  /** Is executed after a while, and answered after another while. */
  static Fate slow(Duration there, Duration back, Scheduler timer) {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call.delaySubscription(there, timer).delayElement(back, timer);
      }
    };
  }

  TestMember is(Fate fate) {
    this.fate = fate;
    return this;
  }

  TestMember isBack() {
    return is(works());
  }

  /** Restarts without what it had kept. */
  void wipe() {
    memory = InMemoryLockStore.create(clock);
  }

  /** Claims to be the same server as others that claim this. */
  void claimsToBe(String server) {
    this.server = server;
  }

  boolean has(LockKeys keys, String token) {
    return !memory.remaining(keys, token).block().isZero();
  }

  boolean isFree(LockKeys key) {
    return memory.inspect(key.asList().get(0)).blockOptional().isEmpty();
  }

  /** Without any member's fate. */
  InMemoryLockStore memory() {
    return memory;
  }

  long count(String call) {
    return calls.stream().filter(call::equals).count();
  }

  List<String> calls() {
    return calls;
  }

  void hint(LockKeys keys) {
    hints.tryEmitNext(keys);
  }

  void breakHints() {
    hints.tryEmitError(new IllegalStateException("broken by test"));
  }

  int listeners() {
    return listeners;
  }

  private <T> Mono<T> call(String name, Supplier<Mono<T>> call) {
    return Mono.defer(
        () -> {
          calls.add(name);
          return fate.of(Mono.defer(call));
        });
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return call("acquire", () -> memory.acquire(keys, token, metadata, ttl, fenced));
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return call("extend", () -> memory.extend(keys, token, ttl));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return call("release", () -> memory.release(keys, token, keepFor));
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return call("remaining", () -> memory.remaining(keys, token));
  }

  @Override
  public Mono<Boolean> raiseFence(LockKeys keys, String token, long number) {
    return call("raiseFence", () -> memory.raiseFence(keys, token, number));
  }

  @Override
  public Mono<Incarnation> incarnation() {
    return call("incarnation", () -> memory.incarnation())
        .map(now -> server == null ? now : new Incarnation(server, now.memory(), now.age()));
  }

  @Override
  public Mono<Holder> inspect(String key) {
    return call("inspect", () -> memory.inspect(key));
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return call("forceRelease", () -> memory.forceRelease(key));
  }

  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return hints
        .asFlux()
        .filter(keys::equals)
        .doOnSubscribe(subscription -> listeners++)
        .doOnCancel(() -> listeners--);
  }

  @Override
  public void overdue(Duration timeout) {
    calls.add("overdue");
  }

  @Override
  public Mono<Void> close() {
    return memory.close();
  }
}
