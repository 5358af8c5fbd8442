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
 * Who waits for which keys, and a timer for the end of each key that somebody waits for. Of those
 * who have gone nothing is left.
 */
final class Waiters {

  private final Scheduler clock;
  private final Consumer<String> ended;
  private final Map<String, Watch> watches = new HashMap<>();

  /**
   * @param ended told when the time of a key is over that somebody waits for
   */
  Waiters(Scheduler clock, Consumer<String> ended) {
    this.clock = clock;
    this.ended = ended;
  }

  void add(String key, Runnable waiter) {
    watches.computeIfAbsent(key, any -> new Watch()).waiters.add(waiter);
  }

  void remove(String key, Runnable waiter) {
    Watch watch = watches.get(key);
    if (watch != null && watch.waiters.remove(waiter) && watch.waiters.isEmpty()) {
      watch.timer.dispose();
      watches.remove(key);
    }
  }

  Collection<Runnable> of(String key) {
    Watch watch = watches.get(key);
    return watch == null ? Set.of() : watch.waiters;
  }

  /** The key ends after that time, no longer at the one that was said before. */
  void endsAfter(String key, long nanos) {
    Watch watch = watches.get(key);
    if (watch != null) {
      watch.timer.dispose();
      watch.timer = timer(key, nanos);
    }
  }

  private Disposable timer(String key, long nanos) {
    try {
      return clock.schedule(() -> ended.accept(key), nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // whoever waits tries again without being woken
      return Disposables.disposed();
    }
  }

  int size() {
    return watches.size();
  }

  private static final class Watch {
    final Set<Runnable> waiters = new LinkedHashSet<>();
    Disposable timer = Disposables.disposed();
  }
}
