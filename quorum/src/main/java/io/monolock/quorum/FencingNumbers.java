// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.quorum.MemberLease.Kind;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import reactor.core.publisher.Mono;

/**
 * Chooses the fencing number of a lock from the numbers that members gave.
 *
 * <p>Any two majorities have a member in common. So a number is above all earlier ones if it is the
 * highest of a majority, and later numbers are above it if a majority stores it before the lock is
 * granted. If a majority gave the same number, both is so already; thus a repeated acquisition has
 * its first number again.
 */
final class FencingNumbers {

  private static final String NOT_KEPT =
      "no majority of the members keeps the fencing number, as the keys have ended there";

  private final Quorum quorum;

  FencingNumbers(Quorum quorum) {
    this.quorum = quorum;
  }

  /** The number for the keys, once a majority stores it. */
  Mono<Long> number(
      LockKeys keys, QuorumLease lease, Duration ttl, Map<Member, MemberGrant> votes) {
    Map<Member, Long> given = new HashMap<>();
    votes.forEach((member, vote) -> given.put(member, numberOf(vote.grant())));
    for (long number : given.values()) {
      if (Collections.frequency(given.values(), number) > quorum.members().size() / 2) {
        return Mono.just(number);
      }
    }
    long highest = Collections.max(given.values());
    return new Broadcast<>(
            quorum,
            member ->
                given.getOrDefault(member, 0L) == highest
                    ? Mono.just(true)
                    : member.store.raiseFence(keys, lease.token, highest))
        .by(
            (call, context) ->
                lease.at(call.member).enter(Kind.FENCE, keys, ttl, call, MemberLease.ANY))
        .ask(Broadcast::yesOrNo)
        .flatMap(
            kept ->
                kept
                    ? Mono.just(highest)
                    : Mono.error(new StoreFailure(UNKNOWN_OUTCOME, true, NOT_KEPT, null)));
  }

  private static long numberOf(Grant grant) {
    return ((Grant.Granted) grant).fencingToken().orElse(0);
  }
}
