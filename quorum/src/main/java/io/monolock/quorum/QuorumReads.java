// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.store.StoreProblem.Reason.TIMEOUT;
import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Calls that need no token, or only read: the answer is what a majority of the members says. */
final class QuorumReads {

  private final Quorum quorum;

  QuorumReads(Quorum quorum) {
    this.quorum = quorum;
  }

  /** How long a majority still has the keys, according to the first majority that answers. */
  Mono<Duration> remaining(LockKeys keys, String token) {
    return this.<Duration>broadcast(member -> member.store.remaining(keys, token))
        .ask(QuorumReads::remaining);
  }

  private static @Nullable Mono<Duration> remaining(Broadcast<Duration> broadcast) {
    List<Duration> times =
        broadcast.answers().values().stream()
            .filter(time -> !time.isZero())
            .sorted(Comparator.reverseOrder())
            .toList();
    if (times.size() >= broadcast.majority()) {
      return Mono.just(times.get(broadcast.majority() - 1));
    }
    if (broadcast.count(Duration::isZero) > broadcast.size() - broadcast.majority()) {
      return Mono.just(Duration.ZERO);
    }
    return broadcast.pending() == 0 ? Mono.error(broadcast.failure(TIMEOUT)) : null;
  }

  Mono<Holder> inspect(String key) {
    return this.<Optional<Holder>>broadcast(
            member -> member.store.inspect(key).map(Optional::of).defaultIfEmpty(Optional.empty()))
        .ask(QuorumReads::inspect);
  }

  private static @Nullable Mono<Holder> inspect(Broadcast<Optional<Holder>> broadcast) {
    List<Holder> holders = broadcast.answers().values().stream().flatMap(Optional::stream).toList();
    if (holders.size() >= broadcast.majority()) {
      return Mono.just(common(holders, broadcast.majority()));
    }
    if (broadcast.count(Optional::isEmpty) > broadcast.size() - broadcast.majority()) {
      return Mono.empty();
    }
    return broadcast.pending() == 0 ? Mono.error(broadcast.failure(TIMEOUT)) : null;
  }

  /** The holder with the most frequent metadata, for the time during which a majority is held. */
  private static Holder common(List<Holder> holders, int majority) {
    Optional<String> metadata =
        holders.stream().collect(groupingBy(Holder::metadata, counting())).entrySet().stream()
            .max(Map.Entry.comparingByValue())
            .orElseThrow()
            .getKey();
    List<Optional<Duration>> times =
        holders.stream().map(Holder::remaining).sorted(MemberGrant.NEVER_LAST.reversed()).toList();
    return new Holder(holders.get(0).key(), metadata, times.get(majority - 1));
  }

  /** Whether any member had the key, once no member is pending and a majority has answered. */
  Mono<Boolean> forceRelease(String key) {
    return this.<Boolean>broadcast(member -> member.store.forceRelease(key))
        .ask(
            broadcast -> {
              if (broadcast.pending() > 0) {
                return null;
              }
              return broadcast.answers().size() >= broadcast.majority()
                  ? Mono.just(broadcast.count(freed -> freed) > 0)
                  : Mono.error(broadcast.failure(UNKNOWN_OUTCOME));
            });
  }

  private <A> Broadcast<A> broadcast(Function<Member, Mono<A>> call) {
    return new Broadcast<>(quorum, call);
  }
}
