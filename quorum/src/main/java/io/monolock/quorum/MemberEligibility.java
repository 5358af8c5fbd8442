// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.Incarnation;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Which members may help to grant a lock.
 *
 * <h2>Whoever forgets must not vote</h2>
 *
 * <p>Two majorities have a member in common, and that one knows who holds a lock; unless it was
 * restarted or emptied in between. So a member votes only when it has forgotten nothing for the
 * largest ttl in use, as by then all locks that it may have known have ended. Each acquisition asks
 * it, right behind the attempt itself, who it is and since when it remembers.
 *
 * <h2>A new quorum</h2>
 *
 * <p>All members of a new quorum are young, and nobody holds anything. So a member that this store
 * has never known otherwise may vote if a majority was heard of and none is older. Beginnings count
 * as the same that are no further apart than the time in which members have to answer. What this
 * cannot tell from a new quorum is one in which a majority was emptied within that time.
 */
final class MemberEligibility {

  private final List<Member> members;
  private final QuorumSettings settings;
  private final LargestTtl largestTtl;
  private final Map<Member, Known> known = new HashMap<>(); // guarded by this
  private final Map<Member, Incarnation> admitted = new HashMap<>(); // guarded by this
  private volatile boolean called;

  /**
   * What a member has said last.
   *
   * @param incarnation null if it cannot tell
   * @param begunAt when it began to remember, on our clock
   */
  private record Known(@Nullable Incarnation incarnation, long begunAt) {}

  MemberEligibility(List<Member> members, QuorumSettings settings, LargestTtl largestTtl) {
    this.members = members;
    this.settings = settings;
    this.largestTtl = largestTtl;
  }

  /**
   * Hears all members before the first of them is asked for a lock, so that it is known who is as
   * old as whom, and whether two are the same.
   */
  Mono<Void> rollCall() {
    return Mono.defer(
        () ->
            called
                ? Mono.<Void>empty()
                : new Broadcast<>(members, settings, this::hear, settings.memberTimeout())
                    .ask(round -> round.pending() == 0 ? Mono.<Void>empty() : null));
  }

  private Mono<Boolean> hear(Member member) {
    return ask(member).doOnNext(now -> see(member, now.orElse(null))).thenReturn(true);
  }

  private static Mono<Optional<Incarnation>> ask(Member member) {
    return member
        .call(member.store::incarnation)
        .map(Optional::of)
        .defaultIfEmpty(Optional.empty());
  }

  /** Why the member must not vote, empty if it may. To be subscribed right after its attempt. */
  Mono<Optional<StoreFailure>> objection(Member member) {
    if (settings.restartedMembersVoteAtOnce()) {
      return Mono.just(Optional.empty());
    }
    return ask(member)
        .map(now -> Optional.ofNullable(judge(member, now.orElse(null))))
        .onErrorResume(StoreFailure.class, e -> Mono.just(Optional.of(e)));
  }

  private synchronized @Nullable StoreFailure judge(Member member, @Nullable Incarnation now) {
    Known seen = see(member, now);
    if (now == null || isAdmitted(member, now)) {
      return null;
    }
    Duration missing = largestTtl.get().minus(now.age());
    boolean isNew = !admitted.containsKey(member) && isAmongTheOldest(seen);
    if (missing.compareTo(Duration.ZERO) <= 0 || isNew) {
      admitted.put(member, now);
      return null;
    }
    return member.failure(
        Reason.SERVER_STATE,
        "may have forgotten locks, as it was restarted or emptied or is new; it votes in "
            + missing.toMillis()
            + " ms",
        null);
  }

  private boolean isAdmitted(Member member, Incarnation now) {
    Incarnation before = admitted.get(member);
    return before != null && before.memory().equals(now.memory());
  }

  private boolean isAmongTheOldest(Known one) {
    return known.size() > members.size() / 2
        && known.values().stream()
            .filter(other -> other.incarnation != null)
            .allMatch(other -> one.begunAt - other.begunAt <= settings.memberTimeout().toNanos());
  }

  private synchronized Known see(Member member, @Nullable Incarnation now) {
    Known seen = new Known(now, now == null ? 0 : settings.now() - now.age().toNanos());
    known.put(member, seen);
    called = known.size() > members.size() / 2 && misuse() == null;
    return seen;
  }

  /** That two members are the same server, null if not. */
  synchronized @Nullable StoreFailure misuse() {
    Set<String> servers = new HashSet<>();
    for (Member member : members) {
      Known seen = known.get(member);
      if (seen != null && seen.incarnation != null && !servers.add(seen.incarnation.server())) {
        return new StoreFailure(
            Reason.MISUSE,
            false,
            "the members of a quorum must be independent, but "
                + member
                + " is another one's server",
            null);
      }
    }
    return null;
  }
}
