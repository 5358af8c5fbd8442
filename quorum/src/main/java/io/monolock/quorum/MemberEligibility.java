// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.Grant;
import io.monolock.store.Incarnation;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which members may vote, that is, help to grant a lock.
 *
 * <p>Two majorities have a member in common, which knows the holder of a lock, unless it has
 * forgotten it in between. So a grant is a vote only if the member had forgotten nothing for the
 * largest ttl when it granted: by then all locks that it may have forgotten have expired. What
 * counts is how long those may live, not the lock that is asked for. A grant itself says of which
 * incarnation of the server it is, so that nothing can happen between it and that question.
 */
final class MemberEligibility {

  private final QuorumSettings settings;
  private final Map<Member, String> servers = new HashMap<>(); // guarded by this
  private volatile boolean acquainted;

  MemberEligibility(QuorumSettings settings) {
    this.settings = settings;
  }

  /** Why a grant of the member is no vote, empty if it is one. */
  Optional<StoreFailure> objection(Member member, Grant.Granted grant) {
    Optional<Incarnation> incarnation = grant.incarnation();
    synchronized (this) {
      incarnation.ifPresent(now -> servers.put(member, now.server()));
    }
    if (settings.restartedMembersVoteAtOnce()) {
      return Optional.empty();
    }
    Duration age = incarnation.map(Incarnation::age).orElse(Duration.ZERO);
    Duration missing = settings.untilForgotten().minus(age);
    return missing.isNegative() || missing.isZero()
        ? Optional.empty()
        : Optional.of(
            member.failure(
                Reason.SERVER_STATE,
                "may have forgotten locks, as it was restarted or emptied or is new; it votes in "
                    + missing.toMillis()
                    + " ms",
                null));
  }

  /** Whether all members were asked, so that it is known whether two are the same server. */
  boolean isAcquainted() {
    return acquainted;
  }

  void acquainted() {
    acquainted = true;
  }

  /** The failure if two members are the same server, else null. */
  synchronized @Nullable StoreFailure misuse() {
    String rule = "the members of a quorum must be independent, but two are the same server";
    boolean areDistinct = new HashSet<>(servers.values()).size() == servers.size();
    return areDistinct ? null : new StoreFailure(Reason.MISUSE, false, rule, null);
  }
}
