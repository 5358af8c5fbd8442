// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * When a member is asked again for the releases that it has not confirmed. While it fails, only the
 * oldest one is sent, after ever longer pauses; once that succeeds, all are. At most {@value #MOST}
 * tokens are repeated; beyond that keys are left to their ttl.
 */
final class ReleaseRetries {

  static final int MOST = 10_000;

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
  void answered(MemberLease lease, boolean failed) {
    boolean owes = lease.owed() > 0;
    boolean tooMany;
    synchronized (this) {
      failing = failed;
      pause = failed ? pause : FIRST_PAUSE;
      tooMany = closed || (owing.size() >= MOST && !owing.contains(lease));
      boolean unused = (owes && !tooMany) ? owing.add(lease) : owing.remove(lease);
    }
    if (owes && tooMany) {
      lease.forgive();
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
      Duration next = failing ? pause.multipliedBy(2) : pause;
      pause = next.compareTo(LONGEST_PAUSE) < 0 ? next : LONGEST_PAUSE;
    }
    var unused = settings.after(delay, this::tryAgain);
  }

  private void tryAgain() {
    List<MemberLease> due;
    synchronized (this) {
      scheduled = false;
      due = owing.stream().limit(failing ? 1 : MOST).toList();
    }
    for (MemberLease lease : due) {
      if (!lease.sendOwed()) {
        answered(lease, false);
      }
    }
    schedule();
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
