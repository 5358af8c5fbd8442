// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockLostException;
import io.monolock.LockObserver;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.util.context.ContextView;

/**
 * Tells a user's observer one thing after the other, on the user's scheduler, and survives what it
 * throws.
 */
final class SerialObserver implements LockObserver {

  /** The observer of a locker that nobody observes. */
  static final class Nobody implements LockObserver {}

  private static final Logger LOG = LoggerFactory.getLogger(LockObserver.class);

  private final LockObserver observer;
  private final LockerContext runtime;
  private final Queue<Runnable> news = new ConcurrentLinkedQueue<>();
  private final AtomicInteger untold = new AtomicInteger();

  SerialObserver(LockObserver observer, LockerContext runtime) {
    this.observer = observer;
    this.runtime = runtime;
  }

  private void tell(Runnable piece) {
    news.add(piece);
    if (untold.getAndIncrement() == 0) {
      runtime.publish(this::tellAll);
    }
  }

  private void tellAll() {
    do {
      try {
        news.remove().run();
      } catch (RuntimeException | Error e) {
        LOG.warn("the lock observer {} failed", observer, e);
      }
    } while (untold.decrementAndGet() != 0);
  }

  @Override
  public void asked(long id, Set<String> keys, ContextView context) {
    tell(() -> observer.asked(id, keys, context));
  }

  @Override
  public void waiting(long id, Set<String> keys) {
    tell(() -> observer.waiting(id, keys));
  }

  @Override
  public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
    tell(() -> observer.acquired(id, keys, waited, attempts));
  }

  @Override
  public void notAcquired(
      long id, Set<String> keys, Duration waited, int attempts, Throwable reason) {
    tell(() -> observer.notAcquired(id, keys, waited, attempts, reason));
  }

  @Override
  public void refreshed(long id, Set<String> keys) {
    tell(() -> observer.refreshed(id, keys));
  }

  @Override
  public void refreshFailed(long id, Set<String> keys, Throwable reason) {
    tell(() -> observer.refreshFailed(id, keys, reason));
  }

  @Override
  public void lost(long id, Set<String> keys, LockLostException.Reason reason) {
    tell(() -> observer.lost(id, keys, reason));
  }

  @Override
  public void released(long id, Set<String> keys, Duration held, boolean wasOurs) {
    tell(() -> observer.released(id, keys, held, wasOurs));
  }

  @Override
  public void abandoned(long id, Set<String> keys) {
    tell(() -> observer.abandoned(id, keys));
  }
}
