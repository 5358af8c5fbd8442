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
 * Which members may vote, that is, help to grant a lock.
 *
 * <h2>A member that has forgotten locks must not vote</h2>
 *
 * <p>Two majorities have a member in common, which knows the holder of a lock, unless it was
 * restarted or emptied in between. So a member votes only when it has forgotten nothing for the
 * largest ttl in use: by then all locks that it may have forgotten have expired. Each acquisition
 * asks the member for its incarnation, right behind the attempt itself.
 *
 * <h2>A new quorum</h2>
 *
 * <p>All members of a new quorum are new, and there is no lock. So a member that was never older as
 * far as this store knows may vote if a majority has answered and none of them is older. Ages count
 * as equal if they differ by no more than the time in which members have to answer. A quorum in
 * which a majority was emptied within that time looks the same, and is taken for a new one.
 */
final class MemberEligibility {

  private final List<Member> members;
  private final QuorumSettings settings;
  private final LargestTtl largestTtl;
  private final Map<Member, Known> known = new HashMap<>(); // guarded by this
  private final Map<Member, Incarnation> admitted = new HashMap<>(); // guarded by this
  private volatile boolean allKnown;

  /**
   * The last answer of a member.
   *
   * @param incarnation null if the store does not know it
   * @param begunAt since when it has forgotten nothing, on the local clock
   */
  private record Known(@Nullable Incarnation incarnation, long begunAt) {}

  MemberEligibility(List<Member> members, QuorumSettings settings, LargestTtl largestTtl) {
    this.members = members;
    this.settings = settings;
    this.largestTtl = largestTtl;
  }

  /**
   * Asks all members for their incarnation before the first acquisition, to compare their ages and
   * to find out whether two are the same server.
   */
  Mono<Void> askAll() {
    return Mono.defer(
        () ->
            allKnown
                ? Mono.<Void>empty()
                : new Broadcast<>(members, settings, this::askAndRecord, settings.memberTimeout())
                    .ask(broadcast -> broadcast.pending() == 0 ? Mono.<Void>empty() : null));
  }

  private Mono<Boolean> askAndRecord(Member member) {
    return ask(member).doOnNext(now -> record(member, now.orElse(null))).thenReturn(true);
  }

  private static Mono<Optional<Incarnation>> ask(Member member) {
    return member
        .call(member.store::incarnation)
        .map(Optional::of)
        .defaultIfEmpty(Optional.empty());
  }

  /**
   * Why the member must not vote, empty if it may. To be subscribed right after the attempt at that
   * member.
   */
  Mono<Optional<StoreFailure>> objection(Member member) {
    if (settings.restartedMembersVoteAtOnce()) {
      return Mono.just(Optional.empty());
    }
    return ask(member)
        .map(now -> Optional.ofNullable(objectionTo(member, now.orElse(null))))
        .onErrorResume(StoreFailure.class, e -> Mono.just(Optional.of(e)));
  }

  private synchronized @Nullable StoreFailure objectionTo(
      Member member, @Nullable Incarnation now) {
    Known recorded = record(member, now);
    if (now == null || isAdmitted(member, now)) {
      return null;
    }
    Duration missing = largestTtl.get().minus(now.age());
    boolean isNew = !admitted.containsKey(member) && isAmongTheOldest(recorded);
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

  private synchronized Known record(Member member, @Nullable Incarnation now) {
    Known recorded = new Known(now, now == null ? 0 : settings.now() - now.age().toNanos());
    known.put(member, recorded);
    allKnown = known.size() > members.size() / 2 && misuse() == null;
    return recorded;
  }

  /** The failure if two members are the same server, else null. */
  synchronized @Nullable StoreFailure misuse() {
    Set<String> servers = new HashSet<>();
    for (Member member : members) {
      Known recorded = known.get(member);
      if (recorded != null
          && recorded.incarnation != null
          && !servers.add(recorded.incarnation.server())) {
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
