// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import io.monolock.LockLostException;
import io.monolock.LockObserver;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Notifies several observers, in their order, each of them also if one before it has failed.
 *
 * <p>They may hear of several lockers, each of which counts its acquisitions from 1. So those of
 * each locker get numbers of their own.
 */
final class ObserversAsOne implements LockObserver {

  private static final int BITS_FOR_ACQUISITIONS = 40;

  private final List<LockObserver> observers;
  private final long firstId;

  ObserversAsOne(List<LockObserver> observers, long numberOfLocker) {
    this.observers = observers;
    this.firstId = numberOfLocker << BITS_FOR_ACQUISITIONS;
  }

  private void notifyEach(Consumer<LockObserver> event) {
    RuntimeException failure = null;
    for (LockObserver observer : observers) {
      try {
        event.accept(observer);
      } catch (RuntimeException e) {
        failure = both(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static RuntimeException both(@Nullable RuntimeException first, RuntimeException next) {
    if (first == null) {
      return next;
    }
    if (!first.equals(next)) { // an exception cannot be suppressed in itself
      first.addSuppressed(next);
    }
    return first;
  }

  @Override
  public void asked(long id, Set<String> keys, ContextView context) {
    notifyEach(observer -> observer.asked(firstId + id, keys, context));
  }

  @Override
  public void waiting(long id, Set<String> keys) {
    notifyEach(observer -> observer.waiting(firstId + id, keys));
  }

  @Override
  public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
    notifyEach(observer -> observer.acquired(firstId + id, keys, waited, attempts));
  }

  @Override
  public void notAcquired(
      long id, Set<String> keys, Duration waited, int attempts, Throwable reason) {
    notifyEach(observer -> observer.notAcquired(firstId + id, keys, waited, attempts, reason));
  }

  @Override
  public void refreshed(long id, Set<String> keys) {
    notifyEach(observer -> observer.refreshed(firstId + id, keys));
  }

  @Override
  public void refreshFailed(long id, Set<String> keys, Throwable reason) {
    notifyEach(observer -> observer.refreshFailed(firstId + id, keys, reason));
  }

  @Override
  public void lost(long id, Set<String> keys, LockLostException.Reason reason) {
    notifyEach(observer -> observer.lost(firstId + id, keys, reason));
  }

  @Override
  public void released(long id, Set<String> keys, Duration held, boolean wasOurs) {
    notifyEach(observer -> observer.released(firstId + id, keys, held, wasOurs));
  }

  @Override
  public void abandoned(long id, Set<String> keys) {
    notifyEach(observer -> observer.abandoned(firstId + id, keys));
  }
}
