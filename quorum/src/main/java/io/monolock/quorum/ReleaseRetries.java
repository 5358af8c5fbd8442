// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When a member is asked again for the releases that it has not confirmed. While it fails, only the
 * oldest one is sent, after ever longer pauses; once that succeeds, all are. At most {@value #MOST}
 * tokens are repeated; beyond that the oldest are dropped, and their keys are left to the ttl.
 */
final class ReleaseRetries {

  static final int MOST = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(ReleaseRetries.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final QuorumSettings settings;
  private final Set<MemberLease> owing = new LinkedHashSet<>(); // guarded by this
  private Duration pause = FIRST_PAUSE; // guarded by this
  private boolean failing; // guarded by this
  private boolean scheduled; // guarded by this
  private boolean closed; // guarded by this

  ReleaseRetries(QuorumSettings settings) {
    this.settings = settings;
  }

  /** A release of this lease has come to its end. */
  void answered(MemberLease lease, @Nullable StoreFailure failure) {
    boolean owes = lease.owed() > 0;
    if (failure != null) {
      LOG.debug("a release has failed, {}", owes ? "and is repeated" : "for good", failure);
    }
    MemberLease dropped = null;
    synchronized (this) {
      failing = failure != null;
      pause = failing ? pause : FIRST_PAUSE;
      if (!owes) {
        owing.remove(lease);
      } else if (!closed && owing.add(lease) && owing.size() > MOST) {
        dropped = owing.iterator().next();
        owing.remove(dropped);
      }
    }
    if (dropped != null) {
      dropped.forgive();
    }
    schedule();
  }

  private void schedule() {
    Duration delay;
    synchronized (this) {
      if (scheduled || owing.isEmpty()) {
        return;
      }
      scheduled = true;
      delay = pause;
      if (failing) {
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
      }
    }
    var unused = settings.after(delay, this::tryAgain);
  }

  private void tryAgain() {
    List<MemberLease> all;
    boolean onlyOne;
    synchronized (this) {
      scheduled = false;
      all = List.copyOf(owing);
      onlyOne = failing;
    }
    for (MemberLease lease : all) {
      if (!lease.sendOwed()) {
        forget(lease);
      } else if (onlyOne) {
        break;
      }
    }
    schedule();
  }

  private synchronized void forget(MemberLease lease) {
    owing.remove(lease);
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** Sends nothing any more; keys that are left expire. */
  synchronized void close() {
    closed = true;
    owing.clear();
  }
}
