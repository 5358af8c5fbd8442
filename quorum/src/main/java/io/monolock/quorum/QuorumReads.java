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

/** What can be said of keys from outside: what a majority of the members says. */
final class QuorumReads {

  private static final Comparator<Optional<Duration>> FOR_EVER_FIRST =
      Comparator.comparing(
          remaining -> remaining.orElse(null),
          Comparator.nullsFirst(Comparator.<Duration>reverseOrder()));

  private final List<Member> members;
  private final QuorumSettings settings;

  QuorumReads(List<Member> members, QuorumSettings settings) {
    this.members = members;
    this.settings = settings;
  }

  /** How long a majority still has the keys, as far as is known when a majority has answered. */
  Mono<Duration> remaining(LockKeys keys, String token) {
    return this.<Duration>round(member -> member.store.remaining(keys, token))
        .ask(QuorumReads::remaining);
  }

  private static @Nullable Mono<Duration> remaining(Broadcast<Duration> round) {
    List<Duration> times =
        round.answers().values().stream()
            .filter(time -> !time.isZero())
            .sorted(Comparator.reverseOrder())
            .toList();
    if (times.size() >= round.majority()) {
      return Mono.just(times.get(round.majority() - 1));
    }
    if (round.count(Duration::isZero) > round.size() - round.majority()) {
      return Mono.just(Duration.ZERO);
    }
    return round.pending() == 0 ? Mono.error(round.failure(TIMEOUT)) : null;
  }

  Mono<Holder> inspect(String key) {
    return this.<Optional<Holder>>round(
            member -> member.store.inspect(key).map(Optional::of).defaultIfEmpty(Optional.empty()))
        .ask(QuorumReads::inspect);
  }

  private static @Nullable Mono<Holder> inspect(Broadcast<Optional<Holder>> round) {
    List<Holder> holders = round.answers().values().stream().flatMap(Optional::stream).toList();
    if (holders.size() >= round.majority()) {
      return Mono.just(common(holders, round.majority()));
    }
    if (round.count(Optional::isEmpty) > round.size() - round.majority()) {
      return Mono.empty();
    }
    return round.pending() == 0 ? Mono.error(round.failure(TIMEOUT)) : null;
  }

  /** With the metadata of most, and for as long as a majority is held. */
  private static Holder common(List<Holder> holders, int majority) {
    Optional<String> metadata =
        holders.stream().collect(groupingBy(Holder::metadata, counting())).entrySet().stream()
            .max(Map.Entry.comparingByValue())
            .orElseThrow()
            .getKey();
    List<Optional<Duration>> times =
        holders.stream().map(Holder::remaining).sorted(FOR_EVER_FIRST).toList();
    return new Holder(holders.get(0).key(), metadata, times.get(majority - 1));
  }

  /** Whether it was held anywhere, once all have been heard and a majority has answered. */
  Mono<Boolean> forceRelease(String key) {
    return this.<Boolean>round(member -> member.store.forceRelease(key))
        .ask(
            round -> {
              if (round.pending() > 0) {
                return null;
              }
              return round.answers().size() >= round.majority()
                  ? Mono.just(round.count(freed -> freed) > 0)
                  : Mono.error(round.failure(UNKNOWN_OUTCOME));
            });
  }

  private <A> Broadcast<A> round(Function<Member, Mono<A>> call) {
    return new Broadcast<>(members, settings, call, settings.memberTimeout());
  }
}
