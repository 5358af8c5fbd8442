// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/**
 * What one token has in the quorum: a {@link MemberLease} at each member. Its attempts run one
 * after the other, as one without a majority must not undo what the next one was granted.
 */
final class QuorumLease {

  final String token;
  private final Runnable whenIdle;
  private final List<MemberLease> leases = new ArrayList<>();

  // all guarded by this
  private Sinks.@Nullable Empty<Void> lastAttempt;
  private int running;

  QuorumLease(String token, Quorum quorum, Registry registry) {
    this.token = token;
    this.whenIdle = () -> registry.settle(this);
    for (Member member : quorum.members()) {
      leases.add(new MemberLease(member, token, quorum.settings(), whenIdle));
    }
  }

  MemberLease at(Member member) {
    return leases.get(member.number - 1);
  }

  /** The leases at all members. */
  List<MemberLease> all() {
    return leases;
  }

  /**
   * The attempt, subscribed once those before it have ended; it runs to its end even if its
   * subscriber cancels.
   */
  <T> Mono<T> inOrder(Mono<T> attempt) {
    return Mono.deferContextual(
        context -> {
          Sinks.Empty<Void> end = Sinks.empty();
          Mono<T> next = follow(end).then(attempt);
          Sinks.One<T> answer = Sinks.one();
          next.doFinally(any -> ended(end))
              .subscribe(
                  answer::tryEmitValue,
                  answer::tryEmitError,
                  answer::tryEmitEmpty,
                  Context.of(context));
          return answer.asMono();
        });
  }

  private synchronized Mono<Void> follow(Sinks.Empty<Void> end) {
    Sinks.Empty<Void> before = lastAttempt;
    lastAttempt = end;
    running++;
    return before == null ? Mono.empty() : before.asMono();
  }

  private void ended(Sinks.Empty<Void> end) {
    synchronized (this) {
      if (end.equals(lastAttempt)) {
        lastAttempt = null;
      }
    }
    end.tryEmitEmpty();
    leave();
  }

  synchronized void enter() {
    running++;
  }

  void leave() {
    synchronized (this) {
      running--;
    }
    whenIdle.run();
  }

  /** How many releases there were. */
  long releases() {
    return all().stream().mapToLong(MemberLease::releases).sum();
  }

  /** Whether a call of a caller is under way. */
  synchronized boolean isBusy() {
    return running > 0;
  }

  /** Whether nothing is left of the token. */
  boolean isOver() {
    return !isBusy() && all().stream().allMatch(MemberLease::isIdle);
  }

  /** Those of a store: one for each token of which something may be left. */
  static final class Registry {

    private static final int FIRST_SWEEP = 1_024;

    private final Quorum quorum;
    private final Map<String, QuorumLease> leases = new ConcurrentHashMap<>();
    private volatile int sweepAt = FIRST_SWEEP;

    Registry(Quorum quorum) {
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
      leases.values().forEach(this::settle);
      return leases.size();
    }
  }
}
