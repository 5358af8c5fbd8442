// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.simulation.check.Call;
import io.monolock.simulation.check.Checker;
import io.monolock.simulation.check.Handle;
import io.monolock.simulation.check.Sometimes.State;
import io.monolock.simulation.check.Watch;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** One operation of one caller under way, and all that it may do. */
final class Turn {

  private static final int MOST_USES = 3;
  private static final int MOST_DEMANDS = 12;

  private final Fleet fleet;
  private final Caller caller;
  private final Instance instance;
  private final Chance random;
  private final Runnable whenDone;
  private boolean done;

  Turn(Fleet fleet, Caller caller, Instance instance, Chance random, Runnable whenDone) {
    this.fleet = fleet;
    this.caller = caller;
    this.instance = instance;
    this.random = random;
    this.whenDone = whenDone;
  }

  Chance random() {
    return random;
  }

  Swarm swarm() {
    return fleet.swarm();
  }

  Checker checker() {
    return fleet.checker();
  }

  ReactiveLocker locker() {
    return instance.locker();
  }

  Scheduler publishOn() {
    return instance.process().publishOn();
  }

  /** The next operation of this caller may begin. */
  void done() {
    if (!done && !isGone()) {
      done = true;
      whenDone.run();
    }
  }

  void later(long nanos, Runnable action) {
    var unused = instance.process().after(nanos, action);
  }

  void replaceProcess() {
    fleet.replace(instance);
  }

  /** One key or some. */
  LockKeys keys() {
    return random.some(fleet.keys());
  }

  Wish wish() {
    return Wish.draw(swarm(), random);
  }

  long holdTime() {
    return random.pick(swarm().holds()).toNanos() / 100 * (50 + random.below(100));
  }

  Mono<Long> delay() {
    return random.oneIn(4) ? Mono.just(0L) : Mono.delay(Duration.ofNanos(holdTime()), publishOn());
  }

  @Nullable Handle someHandle() {
    return fleet.someHandle(random);
  }

  Handle remember(Handle handle) {
    fleet.remember(handle);
    return handle;
  }

  /** How many elements. */
  int few() {
    return 1 + random.below(5);
  }

  Body anyBody() {
    return random.pick(swarm().bodies());
  }

  /** Keeps the present thread busy. */
  void block() {
    fleet.sometimes().reached(State.THREAD_BLOCKED);
    instance.process().block(random.duration(1_000_000, 300_000_000));
  }

  /** A value that comes after a while, also when it was cancelled. */
  Flux<Object> regardless(Object value) {
    return Flux.create(
        sink ->
            later(
                holdTime(),
                () -> {
                  sink.next(value);
                  sink.complete();
                }));
  }

  /** A body under a lock, each subscription a call of its own. */
  Flux<Object> scope(Body body) {
    LockKeys keys = keys();
    Wish wish = wish();
    return watchedScope(
        keys,
        wish,
        call ->
            locker().withLock(keys.asSet(), wish.options(), lock -> body.single(this, call, lock)));
  }

  /** A body of many elements under a lock. */
  Flux<Object> scopeOfMany(Body body) {
    LockKeys keys = keys();
    Wish wish = wish();
    return watchedScope(
        keys,
        wish,
        call ->
            locker()
                .withLockMany(keys.asSet(), wish.options(), lock -> body.run(this, call, lock)));
  }

  private Flux<Object> watchedScope(
      LockKeys keys, Wish wish, Function<Call, Publisher<Object>> scope) {
    return Flux.defer(
        () -> {
          Call call = call(Call.Kind.SCOPE, keys, wish, null);
          return watched(scope.apply(call), () -> call, handle -> {});
        });
  }

  Call call(Call.Kind kind, LockKeys keys, Wish wish, @Nullable Handle handle) {
    return new Call(kind, instance, keys, wish.options(), handle, wish.longestPause());
  }

  /** Takes a lock, and then uses it. */
  void take(Call.Kind kind, LockKeys keys, Wish wish) {
    AtomicReference<Handle> given = new AtomicReference<>();
    Mono<Lock> source =
        kind == Call.Kind.ACQUIRE
            ? locker().acquire(keys.asSet(), wish.options())
            : locker().tryAcquire(keys.asSet(), wish.options());
    useWhatComes(watched(source, () -> call(kind, keys, wish, null), given::set), given);
  }

  /** Waits for a lock for so long, and gives it back at once if it comes. */
  void takeFor(long stay, LockKeys keys, Wish wish) {
    AtomicReference<Handle> given = new AtomicReference<>();
    Demanding<Lock> subscriber =
        new Demanding<>(Ending.WAITS, lock -> giveBack(given.get(), () -> {}), () -> {}, false);
    watched(
            locker().acquire(keys.asSet(), wish.options()),
            () -> call(Call.Kind.ACQUIRE, keys, wish, null),
            given::set)
        .subscribe(subscriber);
    caller.opened(subscriber);
    later(stay, subscriber::cancel);
  }

  /** Watches each subscription as a call of its own. */
  <T> Flux<T> watched(Publisher<T> source, Supplier<Call> call, Consumer<Handle> delivered) {
    return Watch.flux(
        made -> fleet.signals(made.kind(), source, instance), checker(), call, delivered);
  }

  void useWhatComes(Flux<Lock> source, AtomicReference<Handle> given) {
    subscribe(
        source,
        lock -> {
          Handle handle = given.get();
          if (handle != null) {
            remember(handle);
            use(random.below(MOST_USES), handle);
          }
        });
  }

  private void use(int uses, Handle handle) {
    caller.holds(handle);
    if (isGone()) {
      return;
    }
    if (uses == 0) {
      if (!random.oneIn(15)) {
        giveBack(handle, this::done);
        if (random.oneIn(10)) {
          giveBack(handle, () -> {});
        } else if (random.oneIn(10)) {
          random.pick(swarm().uses()).apply(this, handle, () -> {});
        }
      }
      return;
    }
    random.pick(swarm().uses()).apply(this, handle, () -> use(uses - 1, handle));
  }

  /** Its process has ended, or its fleet is to come to an end. */
  private boolean isGone() {
    return instance.process().isDead() || fleet.isOver();
  }

  private void giveBack(@Nullable Handle handle, Runnable then) {
    if (handle != null) {
      caller.gaveBack(handle);
      watch(Call.Kind.RELEASE, handle, handle.lock().release(), then);
    }
  }

  /** A release from inside of a body. */
  Mono<Boolean> release(Lock lock) {
    Handle handle = checker().handleOf(lock);
    return watched(lock.release(), () -> callOn(Call.Kind.RELEASE, handle), given -> {})
        .singleOrEmpty();
  }

  /** Another lock, from inside of a body. */
  Mono<Object> nested() {
    return scope(Body.VALUE).next();
  }

  void watch(Call.Kind kind, LockKeys keys, Mono<?> source) {
    Wish wish = wish();
    subscribe(
        watched(source.cast(Object.class), () -> call(kind, keys, wish, null), handle -> {}),
        value -> {});
  }

  void watch(Call.Kind kind, Handle handle, Mono<?> source, Runnable then) {
    watchFor(0, kind, handle, source, then);
  }

  /** For a handle; is cancelled after this time, unless that is zero. */
  void watchFor(long time, Call.Kind kind, Handle handle, Publisher<?> source, Runnable then) {
    Ending ending = random.oneIn(4) ? random.pick(swarm().endings()) : Ending.WAITS;
    Demanding<Object> subscriber = new Demanding<>(ending, value -> {}, then, false);
    Flux<Object> watched =
        watched(Flux.from(source).cast(Object.class), () -> callOn(kind, handle), given -> {});
    ending.decorate(watched, this, patience()).subscribe(subscriber);
    caller.opened(subscriber);
    if (time > 0) {
      later(time, subscriber::cancel);
    }
  }

  private Call callOn(Call.Kind kind, Handle handle) {
    LockOptions options = LockOptions.of(Duration.ofSeconds(1));
    return call(kind, LockKeys.of(handle.lock().keys()), new Wish(options, 0), handle);
  }

  <T> void subscribe(Flux<T> source, Consumer<T> next) {
    subscribe(source, next, false);
  }

  void subscribeSlowly(Flux<Object> source) {
    subscribe(source, value -> {}, true);
  }

  private <T> void subscribe(Flux<T> source, Consumer<T> next, boolean slowly) {
    Ending ending = random.pick(swarm().endings());
    Demanding<T> subscriber = new Demanding<>(ending, next, this::done, slowly);
    ending.decorate(source, this, patience()).subscribe(subscriber);
    caller.opened(subscriber);
    if (ending == Ending.CANCELS_LATER) {
      later(patience(), subscriber::cancel);
    }
  }

  private long patience() {
    return random.oneIn(2)
        ? random.duration(10_000, 20_000_000)
        : random.duration(1_000_000, 2_000_000_000);
  }

  /** A subscriber that demands everything, or a little from time to time. */
  private final class Demanding<T> extends BaseSubscriber<T> {

    private final Ending ending;
    private final Consumer<T> next;
    private final Runnable whenOver;
    private final boolean slowly;
    private int demands;

    Demanding(Ending ending, Consumer<T> next, Runnable whenOver, boolean slowly) {
      this.ending = ending;
      this.next = next;
      this.whenOver = whenOver;
      this.slowly = slowly;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      if (slowly) {
        demand();
      } else {
        requestUnbounded();
      }
      if (ending == Ending.CANCELS_AT_ONCE) {
        cancel();
      }
    }

    private void demand() {
      if (!isDisposed() && demands++ < MOST_DEMANDS) {
        later(random.duration(1_000, 20_000_000), this::demand);
        request(1 + random.below(2));
      }
    }

    @Override
    protected void hookOnNext(T value) {
      if (ending == Ending.CANCELS_ON_NEXT) {
        cancel();
      }
      next.accept(value);
      if (slowly && random.oneIn(3)) {
        request(1);
      }
    }

    @Override
    protected void hookOnError(Throwable e) {
      // what it was told is what the watch has written down
    }

    @Override
    protected void hookFinally(reactor.core.publisher.SignalType type) {
      whenOver.run();
    }
  }
}
