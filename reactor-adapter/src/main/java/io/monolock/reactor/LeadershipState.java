// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.Lock;
import io.monolock.LockException;
import io.monolock.reactor.Leadership.Change;
import io.monolock.reactor.Leadership.Status;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/**
 * The status of an instance in the contest for one key. Subscribers get one change after the other,
 * outside of the monitor. Only the current attempt can change it; there is at most one.
 */
final class LeadershipState {

  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

  private final String key;
  private final Queue<Change> queued = new ConcurrentLinkedQueue<>();
  private final AtomicInteger undelivered = new AtomicInteger();
  private final Sinks.Many<Change> sink =
      Sinks.many().replay().latestOrDefault(new Change(Status.IDLE, Optional.empty()));
  private Status status = Status.IDLE; // guarded by this
  private volatile @Nullable ElectionAttempt current; // written under the monitor

  LeadershipState(String key) {
    this.key = key;
  }

  ElectionAttempt enter(ElectionAttempt attempt) {
    synchronized (this) {
      if (current != null) {
        throw new IllegalStateException(
            "whileLeader of this Leadership over "
                + key
                + " is subscribed already: make a Leadership of its own for other work, with"
                + " another key");
      }
      current = attempt;
    }
    changed(attempt, Status.WAITING, null);
    return attempt;
  }

  void leave(ElectionAttempt attempt) {
    changed(attempt, Status.IDLE, null);
  }

  /** Ignored unless it comes from the current attempt and is a change. */
  @SuppressWarnings("ReferenceEquality") // this attempt, not one like it
  void changed(ElectionAttempt attempt, Status status, @Nullable LockException reason) {
    synchronized (this) {
      if (current != attempt || this.status == status) {
        return;
      }
      this.status = status;
      if (status == Status.IDLE) {
        current = null;
      }
      queued.add(new Change(status, Optional.ofNullable(reason)));
    }
    deliver();
  }

  private void deliver() {
    if (undelivered.getAndIncrement() != 0) {
      return;
    }
    do {
      Change change = queued.remove();
      log(change);
      sink.emitNext(change, Sinks.EmitFailureHandler.FAIL_FAST);
    } while (undelivered.decrementAndGet() != 0);
  }

  private void log(Change change) {
    if (change.status() == Status.TROUBLED) {
      LOG.warn(
          "cannot contend for the leadership over {} at the moment, going on trying",
          key,
          change.reason().orElse(null));
    } else {
      LOG.info(
          "leadership over {}: {}{}",
          key,
          change.status(),
          change.reason().map(reason -> ", as " + reason.getMessage()).orElse(""));
    }
  }

  boolean isLeader() {
    ElectionAttempt attempt = current;
    Lock lock = attempt == null ? null : attempt.lock();
    return lock != null && lock.isValid();
  }

  Flux<Change> changes() {
    return sink.asFlux();
  }
}
