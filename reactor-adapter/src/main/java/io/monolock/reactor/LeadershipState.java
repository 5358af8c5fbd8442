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
 * What an instance is in the contest for one key, told to whoever wants to know, one change after
 * the other and without a lock. Only the present candidacy can change it; there is one at most.
 */
final class LeadershipState {

  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

  private final String key;
  private final Queue<Change> news = new ConcurrentLinkedQueue<>();
  private final AtomicInteger untold = new AtomicInteger();
  private final Sinks.Many<Change> told =
      Sinks.many().replay().latestOrDefault(new Change(Status.IDLE, Optional.empty()));
  private Status status = Status.IDLE; // guarded by this
  private volatile @Nullable ElectionAttempt present; // written under the monitor

  LeadershipState(String key) {
    this.key = key;
  }

  ElectionAttempt enter(ElectionAttempt candidacy) {
    synchronized (this) {
      if (present != null) {
        throw new IllegalStateException(
            "whileLeader of this Leadership over "
                + key
                + " is subscribed already: make a Leadership of its own for other work, with"
                + " another key");
      }
      present = candidacy;
    }
    changed(candidacy, Status.WAITING, null);
    return candidacy;
  }

  void leave(ElectionAttempt candidacy) {
    changed(candidacy, Status.IDLE, null);
  }

  /** Counts only from the present candidacy, and only if it is a change. */
  @SuppressWarnings("ReferenceEquality") // this candidacy, not one like it
  void changed(ElectionAttempt candidacy, Status status, @Nullable LockException reason) {
    synchronized (this) {
      if (present != candidacy || this.status == status) {
        return;
      }
      this.status = status;
      if (status == Status.IDLE) {
        present = null;
      }
      news.add(new Change(status, Optional.ofNullable(reason)));
    }
    tell();
  }

  private void tell() {
    if (untold.getAndIncrement() != 0) {
      return;
    }
    do {
      Change change = news.remove();
      log(change);
      told.emitNext(change, Sinks.EmitFailureHandler.FAIL_FAST);
    } while (untold.decrementAndGet() != 0);
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
    ElectionAttempt candidacy = present;
    Lock lock = candidacy == null ? null : candidacy.lock();
    return lock != null && lock.isValid();
  }

  Flux<Change> changes() {
    return told.asFlux();
  }
}
