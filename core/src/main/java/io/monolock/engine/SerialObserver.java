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

/** Calls a user's observer in order, on the users' scheduler, and logs what it throws. */
final class SerialObserver implements LockObserver {

  /** Does nothing: the default of a locker without an observer. */
  static final class NoObserver implements LockObserver {}

  private static final Logger LOG = LoggerFactory.getLogger(LockObserver.class);

  private final LockObserver observer;
  private final LockerContext locker;
  private final Queue<Runnable> calls = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger();

  SerialObserver(LockObserver observer, LockerContext locker) {
    this.observer = observer;
    this.locker = locker;
  }

  private void enqueue(Runnable call) {
    calls.add(call);
    if (pending.getAndIncrement() == 0) {
      locker.publish(this::drain);
    }
  }

  private void drain() {
    do {
      try {
        calls.remove().run();
      } catch (RuntimeException | Error e) {
        LOG.warn("the lock observer {} failed", observer, e);
      }
    } while (pending.decrementAndGet() != 0);
  }

  @Override
  public void asked(long id, Set<String> keys, ContextView context) {
    enqueue(() -> observer.asked(id, keys, context));
  }

  @Override
  public void waiting(long id, Set<String> keys) {
    enqueue(() -> observer.waiting(id, keys));
  }

  @Override
  public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
    enqueue(() -> observer.acquired(id, keys, waited, attempts));
  }

  @Override
  public void notAcquired(
      long id, Set<String> keys, Duration waited, int attempts, Throwable reason) {
    enqueue(() -> observer.notAcquired(id, keys, waited, attempts, reason));
  }

  @Override
  public void refreshed(long id, Set<String> keys) {
    enqueue(() -> observer.refreshed(id, keys));
  }

  @Override
  public void refreshFailed(long id, Set<String> keys, Throwable reason) {
    enqueue(() -> observer.refreshFailed(id, keys, reason));
  }

  @Override
  public void lost(long id, Set<String> keys, LockLostException.Reason reason) {
    enqueue(() -> observer.lost(id, keys, reason));
  }

  @Override
  public void released(long id, Set<String> keys, Duration held, boolean wasOurs) {
    enqueue(() -> observer.released(id, keys, held, wasOurs));
  }

  @Override
  public void abandoned(long id, Set<String> keys) {
    enqueue(() -> observer.abandoned(id, keys));
  }
}
