// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** The {@link QuorumLease}s of a store: one for each token of which something may be left. */
final class QuorumLeases {

  private static final int FIRST_SWEEP = 1_024;

  private final Quorum quorum;
  private final Map<String, QuorumLease> leases = new ConcurrentHashMap<>();
  private volatile int sweepAt = FIRST_SWEEP;

  QuorumLeases(Quorum quorum) {
    this.quorum = quorum;
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
                        known == null ? new QuorumLease(token, quorum, this) : known;
                    present.enter();
                    return present;
                  });
          return Mono.defer(() -> call.apply(lease)).doFinally(any -> lease.leave());
        });
  }

  /** What was remembered for a while is forgotten when the number has doubled. */
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
