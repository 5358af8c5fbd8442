// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** The {@link QuorumLease}s of a store: one for each token of which something may be left. */
final class QuorumLeases {

  private static final int FIRST_SWEEP = 1_024;

  private final List<Member> members;
  private final QuorumSettings settings;
  private final Map<String, QuorumLease> leases = new ConcurrentHashMap<>();
  private volatile int sweepAt = FIRST_SWEEP;

  QuorumLeases(List<Member> members, QuorumSettings settings) {
    this.members = members;
    this.settings = settings;
  }

  /** Makes a call with the lease of a token. */
  <T> Mono<T> use(String token, Function<QuorumLease, Mono<T>> call) {
    return Mono.defer(
        () -> {
          sweep();
          QuorumLease lease =
              leases.compute(
                  token,
                  (any, known) -> {
                    QuorumLease present =
                        known == null ? new QuorumLease(token, members, settings, this) : known;
                    present.enter();
                    return present;
                  });
          return Mono.defer(() -> call.apply(lease)).doFinally(any -> lease.leave());
        });
  }

  /** Locks that were never released have expired when the number has doubled, or stay. */
  private void sweep() {
    if (leases.size() >= sweepAt) {
      leases.values().forEach(this::settle);
      sweepAt = Math.max(FIRST_SWEEP, 2 * leases.size());
    }
  }

  /** Forgets the lease if nothing is left of it. */
  void settle(QuorumLease lease) {
    leases.computeIfPresent(
        lease.token, (any, known) -> known == lease && lease.isOver() ? null : known);
  }

  /** How many releases members have not confirmed. */
  int unconfirmed() {
    return leases.values().stream()
        .flatMap(lease -> lease.all().stream())
        .mapToInt(MemberLease::owed)
        .sum();
  }

  /** How many tokens have calls under way. */
  int busy() {
    return (int) leases.values().stream().filter(QuorumLease::isBusy).count();
  }

  /** How many tokens there are of which something may be left. */
  int size() {
    return leases.size();
  }
}
