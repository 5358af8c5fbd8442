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
 * What a flow holds: the locks of the scopes that it is in, in its Context and nowhere else.
 * Immutable; each scope writes a longer one for its own body.
 */
final class HeldLocks {

  private static final HeldLocks NONE = new HeldLocks(List.of());

  /** A lock, and who gave it: the same key may be held through a locker of another Redis. */
  private record Held(ReactiveLocker locker, Lock lock) {}

  private final List<Held> innermostFirst;

  private HeldLocks(List<Held> innermostFirst) {
    this.innermostFirst = innermostFirst;
  }

  static HeldLocks of(ContextView context) {
    return context.<HeldLocks>getOrEmpty(HeldLocks.class).orElse(NONE);
  }

  /** What writes the lock of a scope into the Context of its body. */
  static Function<Context, Context> with(ReactiveLocker locker, Lock lock) {
    return context -> context.put(HeldLocks.class, of(context).plus(locker, lock));
  }

  /** A scope that was opened through two layers of this adapter is one scope. */
  private HeldLocks plus(ReactiveLocker locker, Lock lock) {
    if (innermost().filter(lock::equals).isPresent()) {
      return this;
    }
    Held newest = new Held(ReentrantLocker.unwrapped(locker), lock);
    return new HeldLocks(Stream.concat(Stream.of(newest), innermostFirst.stream()).toList());
  }

  Optional<Lock> innermost() {
    return innermostFirst.stream().map(Held::lock).findFirst();
  }

  /** The innermost lock on a key that is valid; if none is, the innermost that was. */
  Optional<Lock> on(String key) {
    return locksOn(key).filter(Lock::isValid).findFirst().or(() -> locksOn(key).findFirst());
  }

  private Stream<Lock> locksOn(String key) {
    return innermostFirst.stream().map(Held::lock).filter(lock -> lock.keys().contains(key));
  }

  /** The innermost valid lock of a locker on a key. */
  @SuppressWarnings("ReferenceEquality") // the same locker, not one like it
  Optional<Lock> validOn(String key, ReactiveLocker locker) {
    return innermostFirst.stream()
        .filter(held -> held.locker == locker && held.lock.keys().contains(key))
        .map(Held::lock)
        .filter(Lock::isValid)
        .findFirst();
  }
}
