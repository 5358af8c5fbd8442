// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A result that calls wait for. They get it in the order in which they began to wait, which a
 * future does not promise; a call that comes while they get it waits behind them.
 */
final class Awaited<T> {

  /** Gets the result: a value or a failure. */
  interface Listener<T> {
    void answered(@Nullable T value, @Nullable Throwable failure);
  }

  private record Waiting<T>(long since, Listener<T> call) {}

  private final ArrayDeque<Waiting<T>> queue = new ArrayDeque<>(); // guarded by this
  private @Nullable T value; // guarded by this, as is what follows
  private @Nullable Throwable failure;
  private boolean delivering;

  /** The value, once no call waits for it any more. */
  private volatile @Nullable T settled;

  /** A result that is there already, and is a failure. */
  static <T> Awaited<T> failed(Throwable failure) {
    Awaited<T> awaited = new Awaited<>();
    awaited.failure = failure;
    return awaited;
  }

  /**
   * Waits for the result, a value or a failure.
   *
   * @param since when the call began, for {@link #expire}
   */
  void then(long since, Listener<T> call) {
    synchronized (this) {
      settled = null;
      queue.add(new Waiting<>(since, call));
    }
    deliver();
  }

  /** False if the result is there already. */
  boolean complete(T value) {
    return complete(value, null);
  }

  /** False if the result is there already. */
  boolean fail(Throwable failure) {
    return complete(null, failure);
  }

  private boolean complete(@Nullable T value, @Nullable Throwable failure) {
    synchronized (this) {
      if (isDone()) {
        return false;
      }
      this.value = value;
      this.failure = failure;
    }
    deliver();
    return true;
  }

  private void deliver() {
    for (Waiting<T> next = next(); next != null; next = next()) {
      try {
        next.call.answered(value, failure);
      } finally {
        synchronized (this) {
          delivering = false;
        }
      }
    }
  }

  private synchronized @Nullable Waiting<T> next() {
    if (!isDone() || delivering) {
      return null;
    }
    Waiting<T> next = queue.poll();
    delivering = next != null;
    settled = delivering ? null : value;
    return next;
  }

  /** Fails the calls that began before, as their callers have given up. */
  void expire(long before, Throwable failure) {
    List<Waiting<T>> late = new ArrayList<>();
    synchronized (this) {
      queue.removeIf(call -> call.since - before <= 0 && late.add(call));
    }
    late.forEach(call -> call.call.answered(null, failure));
  }

  synchronized boolean isDone() {
    return value != null || failure != null;
  }

  /** The value if it is there, whether or not calls still wait for it. */
  synchronized @Nullable T value() {
    return value;
  }

  /** The value if it is there and every call has it that has waited for it. */
  @Nullable T settled() {
    return settled;
  }

  synchronized boolean isWaitedFor() {
    return delivering || !queue.isEmpty();
  }
}
