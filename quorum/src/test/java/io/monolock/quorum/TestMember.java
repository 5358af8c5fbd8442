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
  interface Behavior {
    <T> Mono<T> apply(Mono<T> call);
  }

  private final Scheduler clock;
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final Sinks.Many<LockKeys> wakeUps = Sinks.many().multicast().directBestEffort();
  private volatile InMemoryLockStore memory;
  private volatile Behavior behavior = works();
  private volatile int subscribers;
  private volatile String server;

  TestMember(Scheduler clock) {
    this.clock = clock;
    this.memory = InMemoryLockStore.create(clock);
  }

  static Behavior works() {
    return new Behavior() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        return call;
      }
    };
  }

  static Behavior fails(Reason reason, boolean isTransient) {
    return new Behavior() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        return Mono.error(new StoreFailure(reason, isTransient, reason + " by test", null));
      }
    };
  }

  /** The server cannot be reached. */
  static Behavior down() {
    return fails(Reason.UNAVAILABLE, true);
  }

  /** Is neither executed nor answered. */
  static Behavior silent() {
    return new Behavior() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        return Mono.never();
      }
    };
  }

  /** Is executed, but the answer never comes. */
  static Behavior mute() {
    return new Behavior() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        return call.then(Mono.never());
      }
    };
  }

  /** Is executed, but fails as when the connection breaks. */
  static Behavior answerLost() {
    return new Behavior() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        return call.then(fails(Reason.UNKNOWN_OUTCOME, true).apply(call));
      }
    };
  }

  /** Is executed after a while, and answered after another while. */
  static Behavior slow(Duration there, Duration back, Scheduler timer) {
    return new Behavior() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        return call.delaySubscription(there, timer).delayElement(back, timer);
      }
    };
  }

  TestMember is(Behavior behavior) {
    this.behavior = behavior;
    return this;
  }

  TestMember isBack() {
    return is(works());
  }

  /** Restarts without what it had kept. */
  void restartEmpty() {
    memory = InMemoryLockStore.create(clock);
    memory.becomeMember();
  }

  /** Reports this server in its incarnation. */
  void reportServer(String server) {
    this.server = server;
  }

  boolean has(LockKeys keys, String token) {
    return !memory.remaining(keys, token).block().isZero();
  }

  boolean isFree(LockKeys key) {
    return memory.inspect(key.asList().get(0)).blockOptional().isEmpty();
  }

  /** The store behind this member, which works whatever the behavior. */
  InMemoryLockStore memory() {
    return memory;
  }

  long count(String call) {
    return calls.stream().filter(call::equals).count();
  }

  List<String> calls() {
    return calls;
  }

  void wake(LockKeys keys) {
    wakeUps.tryEmitNext(keys);
  }

  void failWakeUps() {
    wakeUps.tryEmitError(new IllegalStateException("broken by test"));
  }

  int subscribers() {
    return subscribers;
  }

  private <T> Mono<T> call(String name, Supplier<Mono<T>> call) {
    return Mono.defer(
        () -> {
          calls.add(name);
          return behavior.apply(Mono.defer(call));
        });
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return call(
        "acquire", () -> memory.acquire(keys, token, metadata, ttl, fenced).map(this::reported));
  }

  private Grant reported(Grant grant) {
    return server != null && grant instanceof Grant.Granted granted
        ? new Grant.Granted(
            granted.fresh(),
            granted.fencingToken(),
            granted.incarnation().map(now -> new Incarnation(server, now.age())))
        : grant;
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
  public void becomeMember() {
    memory.becomeMember();
  }

  @Override
  public Mono<Void> declareNew() {
    return call("declareNew", () -> memory.declareNew());
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
    return wakeUps
        .asFlux()
        .filter(keys::equals)
        .doOnSubscribe(subscription -> subscribers++)
        .doOnCancel(() -> subscribers--);
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
