// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockLostException;
import io.monolock.LockObserver;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.util.context.ContextView;

/**
 * Calls a user's observer with one event after the other, on the users' threads, and logs what it
 * throws. A slow observer delays its own events only: it is called for a moment at a time, and what
 * does not fit in the backlog is dropped, which is logged once.
 */
final class ObserverSignals {

  private static final Logger LOG = LoggerFactory.getLogger(LockObserver.class);
  private static final int LONGEST_BACKLOG = 65_536;
  private static final long LONGEST_RUN = 1_000_000;

  private final @Nullable LockObserver observer;
  private final SignalExecutor executor;
  private final LongSupplier clock;
  private final Queue<Consumer<LockObserver>> events = new ConcurrentLinkedQueue<>();
  private final AtomicInteger backlog = new AtomicInteger();
  private final AtomicBoolean running = new AtomicBoolean();
  private final AtomicBoolean dropped = new AtomicBoolean();

  ObserverSignals(@Nullable LockObserver observer, SignalExecutor executor, LongSupplier clock) {
    this.observer = observer;
    this.executor = executor;
    this.clock = clock;
  }

  private void add(Consumer<LockObserver> event) {
    if (backlog.incrementAndGet() <= LONGEST_BACKLOG) {
      events.add(event);
    } else {
      backlog.decrementAndGet();
      if (dropped.compareAndSet(false, true)) {
        LOG.warn(
            "the lock observer {} is too slow: {} events wait for it, and others are dropped",
            observer,
            LONGEST_BACKLOG);
      }
    }
  }

  /** Has the observer called with what was added. */
  void flush() {
    if (!events.isEmpty() && running.compareAndSet(false, true)) {
      executor.run(this::callForAMoment);
    }
  }

  private void callForAMoment() {
    LockObserver observer = this.observer;
    long begun = clock.getAsLong();
    Consumer<LockObserver> event;
    while (observer != null && (event = events.poll()) != null) {
      backlog.decrementAndGet();
      try {
        event.accept(observer);
      } catch (Throwable e) {
        LOG.warn("the lock observer {} failed", observer, e);
      }
      if (clock.getAsLong() - begun > LONGEST_RUN) {
        break;
      }
    }
    running.set(false);
    flush();
  }

  private void tell(Consumer<LockObserver> event) {
    add(event);
    flush();
  }

  /** The observer is called only at the next {@link #flush}, so a monitor may be held here. */
  void addAsked(long id, Set<String> keys, ContextView context) {
    if (observer != null) {
      add(o -> o.asked(id, keys, context));
    }
  }

  void waiting(long id, Set<String> keys) {
    if (observer != null) {
      tell(o -> o.waiting(id, keys));
    }
  }

  void acquired(long id, Set<String> keys, Duration waited, int attempts) {
    if (observer != null) {
      tell(o -> o.acquired(id, keys, waited, attempts));
    }
  }

  void notAcquired(long id, Set<String> keys, Duration waited, int attempts, Throwable reason) {
    if (observer != null) {
      tell(o -> o.notAcquired(id, keys, waited, attempts, reason));
    }
  }

  void refreshed(long id, Set<String> keys) {
    if (observer != null) {
      tell(o -> o.refreshed(id, keys));
    }
  }

  void refreshFailed(long id, Set<String> keys, Throwable reason) {
    if (observer != null) {
      tell(o -> o.refreshFailed(id, keys, reason));
    }
  }

  void lost(long id, Set<String> keys, LockLostException.Reason reason) {
    if (observer != null) {
      tell(o -> o.lost(id, keys, reason));
    }
  }

  void released(long id, Set<String> keys, Duration held, boolean wasOurs) {
    if (observer != null) {
      tell(o -> o.released(id, keys, held, wasOurs));
    }
  }

  void abandoned(long id, Set<String> keys) {
    if (observer != null) {
      tell(o -> o.abandoned(id, keys));
    }
  }
}
