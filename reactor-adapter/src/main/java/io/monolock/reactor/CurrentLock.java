// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.ReactiveLocker;
import io.monolock.store.LockKeys;
import java.util.Optional;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The lock that the present flow holds. It is in the Reactor Context of every body that was started
 * through this adapter, by {@link LockOperators}, a {@link ReentrantLocker} or a {@link
 * Leadership}, or through that for coroutines. Code deep in a chain finds it there and needs no
 * parameter for it:
 *
 * <pre>{@code
 * Mono<Void> debit = CurrentLock.require("account:1").then(write);
 * }</pre>
 *
 * <p>It is not there in a body of a plain {@link io.monolock.ReactiveLocker}, nor in what is
 * subscribed without the Context of the body.
 */
public final class CurrentLock {

  private CurrentLock() {}

  /**
   * Gives the lock of the innermost scope, as it is: it may be lost already.
   *
   * <p>Outcomes: the lock; empty outside of all scopes. Signals on the thread that subscribes.
   *
   * @return the lock, or empty
   */
  public static Mono<Lock> get() {
    return Mono.deferContextual(context -> Mono.justOrEmpty(HeldLocks.of(context).innermost()));
  }

  /**
   * Makes sure that the flow holds a key at this moment.
   *
   * <p>Outcomes:
   *
   * <ul>
   *   <li>the lock that holds the key, of the innermost scope if several do;
   *   <li>{@link IllegalStateException} when no scope around is one on this key: a mistake in the
   *       program;
   *   <li>the {@link LockLostException} of the lock when it was held and is lost, or its handle was
   *       released.
   * </ul>
   *
   * <p>A lock is signalled on the thread that subscribes, a loss where the locker signals.
   * Cancelled, nothing happens.
   *
   * @param key the key
   * @return the lock, never empty
   * @throws IllegalArgumentException when the key breaks a rule
   */
  public static Mono<Lock> require(String key) {
    LockKeys.of(key); // throws
    return Mono.deferContextual(
        context ->
            HeldLocks.of(context)
                .on(key)
                .map(CurrentLock::validOrLost)
                .orElseGet(() -> Mono.error(() -> notHeld(key))));
  }

  /**
   * Gives the lock of the innermost scope of a Context, as {@link #get} does, at once.
   *
   * @param context the Context of a subscriber
   * @return the lock, which may be lost already, or empty
   */
  public static Optional<Lock> of(ContextView context) {
    return HeldLocks.of(context).innermost();
  }

  /**
   * Makes a scope of what is subscribed with the Context that is written, for code that takes and
   * releases a lock itself: {@code body.contextWrite(CurrentLock.with(locker, lock))}. The body
   * finds the lock here, and a {@link ReentrantLocker} lets it in.
   *
   * <p>The lock is neither kept alive nor released; the caller does both, and releases it only when
   * the body has ended.
   *
   * @param locker has granted the lock
   * @param lock holds the keys of the body
   * @return adds the lock to a Context, as the innermost one
   */
  public static Function<Context, Context> with(ReactiveLocker locker, Lock lock) {
    return HeldLocks.with(ReentrantLocker.unwrapped(locker), lock);
  }

  private static Mono<Lock> validOrLost(Lock lock) {
    return lock.isValid() ? Mono.just(lock) : lock.keepAlive();
  }

  private static IllegalStateException notHeld(String key) {
    return new IllegalStateException(
        "this flow does not hold "
            + key
            + ": run it in a scope on that key that was opened through LockOperators, a"
            + " ReentrantLocker or a Leadership, and subscribe with the Context of its body");
  }
}
