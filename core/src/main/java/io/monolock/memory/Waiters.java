// SPDX-License-Identifier: Apache-2.0
package io.monolock.memory;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Scheduler;

/**
 * The waiters of each key, and a timer for the end of each key that has waiters. A waiter that is
 * removed leaves nothing behind.
 */
final class Waiters {

  private final Scheduler clock;
  private final Consumer<String> onExpiry;
  private final Map<String, AwaitedKey> awaited = new HashMap<>();

  /**
   * @param onExpiry called with each key that has waiters, at its end
   */
  Waiters(Scheduler clock, Consumer<String> onExpiry) {
    this.clock = clock;
    this.onExpiry = onExpiry;
  }

  void add(String key, Runnable waiter) {
    awaited.computeIfAbsent(key, any -> new AwaitedKey()).waiters.add(waiter);
  }

  void remove(String key, Runnable waiter) {
    AwaitedKey entry = awaited.get(key);
    if (entry != null && entry.waiters.remove(waiter) && entry.waiters.isEmpty()) {
      entry.timer.dispose();
      awaited.remove(key);
    }
  }

  Collection<Runnable> of(String key) {
    AwaitedKey entry = awaited.get(key);
    return entry == null ? Set.of() : entry.waiters;
  }

  /** Sets the end of the key, in place of the previous one. */
  void endsAfter(String key, long nanos) {
    AwaitedKey entry = awaited.get(key);
    if (entry != null) {
      entry.timer.dispose();
      entry.timer = timer(key, nanos);
    }
  }

  private Disposable timer(String key, long nanos) {
    try {
      return clock.schedule(() -> onExpiry.accept(key), nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // waiters try again without being woken
      return Disposables.disposed();
    }
  }

  int size() {
    return awaited.size();
  }

  private static final class AwaitedKey {
    final Set<Runnable> waiters = new LinkedHashSet<>();
    Disposable timer = Disposables.disposed();
  }
}
