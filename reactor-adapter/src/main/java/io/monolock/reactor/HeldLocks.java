// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.Lock;
import io.monolock.ReactiveLocker;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The locks of the scopes that a flow is in, kept in its Context and nowhere else. Immutable: each
 * scope writes a longer one for its own body.
 */
final class HeldLocks {

  private static final HeldLocks NONE = new HeldLocks(List.of());

  /**
   * The lock of a scope, and the locker that granted it: the same key may be held through a locker
   * of another Redis.
   */
  private record ScopeLock(ReactiveLocker locker, Lock lock) {}

  private final List<ScopeLock> innermostFirst;

  private HeldLocks(List<ScopeLock> innermostFirst) {
    this.innermostFirst = innermostFirst;
  }

  static HeldLocks of(ContextView context) {
    return context.<HeldLocks>getOrEmpty(HeldLocks.class).orElse(NONE);
  }

  /** Writes the lock of a scope into the Context of its body. */
  static Function<Context, Context> with(ReactiveLocker locker, Lock lock) {
    return context -> context.put(HeldLocks.class, of(context).plus(locker, lock));
  }

  private HeldLocks plus(ReactiveLocker locker, Lock lock) {
    Stream<ScopeLock> newest = Stream.of(new ScopeLock(locker, lock));
    return new HeldLocks(Stream.concat(newest, innermostFirst.stream()).toList());
  }

  Optional<Lock> innermost() {
    return innermostFirst.stream().map(ScopeLock::lock).findFirst();
  }

  /** The innermost lock on a key that is valid; if none is, the innermost that was. */
  Optional<Lock> on(String key) {
    return locksOn(key).filter(Lock::isValid).findFirst().or(() -> locksOn(key).findFirst());
  }

  private Stream<Lock> locksOn(String key) {
    return innermostFirst.stream().map(ScopeLock::lock).filter(lock -> lock.keys().contains(key));
  }

  /** The innermost valid lock of a locker on a key. */
  @SuppressWarnings("ReferenceEquality") // the same locker, not one like it
  Optional<Lock> validOn(String key, ReactiveLocker locker) {
    return innermostFirst.stream()
        .filter(scope -> scope.locker == locker && scope.lock.keys().contains(key))
        .map(ScopeLock::lock)
        .filter(Lock::isValid)
        .findFirst();
  }
}
