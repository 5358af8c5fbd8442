// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockObserver;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Collects the settings of a locker: what {@link ReactiveLocker#builder} returns. */
public final class StoreLockerBuilder implements ReactiveLocker.Builder {

  private static final Duration LONGEST = Duration.ofHours(1);

  private final LockStore store;
  private LockOptions defaults = LockOptions.of(Duration.ofSeconds(30));
  private @Nullable LockObserver observer;
  private @Nullable Scheduler timer;
  private @Nullable Scheduler publishOn;
  private Duration commandTimeout = Duration.ofSeconds(2);
  private Duration closeTimeout = Duration.ofSeconds(5);
  private Duration turn = Duration.ofMillis(100);

  /**
   * Settings with their defaults.
   *
   * @param store where the locks live
   */
  public StoreLockerBuilder(LockStore store) {
    this.store = Objects.requireNonNull(store, "store");
  }

  @Override
  public ReactiveLocker.Builder defaults(LockOptions options) {
    this.defaults = Objects.requireNonNull(options, "options");
    return this;
  }

  @Override
  public ReactiveLocker.Builder observer(LockObserver observer) {
    this.observer = Objects.requireNonNull(observer, "observer");
    return this;
  }

  @Override
  public ReactiveLocker.Builder timer(Scheduler timer) {
    this.timer = Objects.requireNonNull(timer, "timer");
    return this;
  }

  @Override
  public ReactiveLocker.Builder publishOn(Scheduler scheduler) {
    this.publishOn = Objects.requireNonNull(scheduler, "scheduler");
    return this;
  }

  @Override
  public ReactiveLocker.Builder commandTimeout(Duration timeout) {
    this.commandTimeout = Rules.duration("commandTimeout", timeout, Duration.ofMillis(1), LONGEST);
    return this;
  }

  @Override
  public ReactiveLocker.Builder closeTimeout(Duration budget) {
    this.closeTimeout = Rules.duration("closeTimeout", budget, Duration.ZERO, LONGEST);
    return this;
  }

  @Override
  public ReactiveLocker.Builder turn(Duration longest) {
    this.turn = Rules.duration("turn", longest, Duration.ZERO, LONGEST);
    return this;
  }

  @Override
  public ReactiveLocker build() {
    Tokens.prepare();
    boolean ownsTimer = timer == null;
    LockerContext locker =
        new LockerContext(
            store,
            timer != null ? timer : Schedulers.newSingle("monolock-timer", true),
            publishOn,
            observer,
            commandTimeout,
            turn);
    return new StoreLocker(locker, defaults, closeTimeout, ownsTimer);
  }
}
