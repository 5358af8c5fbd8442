// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.quorum.MemberLease.Kind;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * One attempt to take keys at a majority of the members.
 *
 * <h2>Without a majority</h2>
 *
 * <p>When there can be no majority any more, the keys are released at the members that granted
 * them, and at those that may have: silent ones, and those whose answer was lost. The attempt ends
 * when the members that granted have answered the release, so that the next attempt finds nothing
 * of this one; the others are released by their {@link MemberLease}, also when they grant later.
 * Nothing is released if the token had the keys already at a member, as it may belong to a holder,
 * for whom the new grants count as well.
 *
 * <h2>Several attempts at the same time</h2>
 *
 * <p>Several attempts may each get some members, and none a majority. If all gave up, that might
 * happen again and again. So the attempt that got the first of the members that answered keeps what
 * it has for some milliseconds, and asks all members again; the others give up.
 */
final class QuorumAcquire {

  private static final int MOST_REPETITIONS = 6;
  private static final String TOO_LATE =
      "a majority of the members has granted the keys, but not before their ttl was over";
  private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

  /** What is asked for. */
  record Wanted(LockKeys keys, String metadata, Duration ttl, boolean fenced) {}

  private final Quorum quorum;
  private final QuorumSettings settings;
  private final MemberEligibility eligibility;
  private final QuorumWakeUps wakeUps;
  private final QuorumLease lease;
  private final Wanted wanted;
  private final LockKeys keys;
  private final long begunAt;
  private final long releasesBefore;
  private final List<Broadcast<MemberGrant>> broadcasts = new ArrayList<>();

  QuorumAcquire(
      Quorum quorum,
      MemberEligibility eligibility,
      QuorumWakeUps wakeUps,
      QuorumLease lease,
      Wanted wanted) {
    this.quorum = quorum;
    this.settings = quorum.settings();
    this.eligibility = eligibility;
    this.wakeUps = wakeUps;
    this.lease = lease;
    this.wanted = wanted;
    this.keys = wanted.keys;
    this.begunAt = settings.now();
    this.releasesBefore = lease.releases();
  }

  Mono<Grant> run() {
    Broadcast<MemberGrant> broadcast =
        new Broadcast<>(quorum, this::ask)
            .by(
                (call, context) ->
                    lease
                        .at(call.member)
                        .enter(Kind.ACQUIRE, keys, wanted.ttl, call, MemberLease.ANY));
    broadcasts.add(broadcast);
    return broadcast
        .<Boolean>ask(this::hasMajority)
        .flatMap(
            majority -> {
              eligibility.acquainted();
              StoreFailure misuse = eligibility.misuse();
              if (misuse != null) {
                return undo(false).then(Mono.error(misuse));
              }
              return majority ? withMajority(broadcast) : withoutMajority(broadcast);
            });
  }

  private Mono<MemberGrant> ask(Member member) {
    return member
        .store
        .acquire(keys, lease.token, wanted.metadata, wanted.ttl, wanted.fenced)
        .map(
            grant ->
                new MemberGrant(
                    grant,
                    grant instanceof Grant.Granted granted
                        ? eligibility.objection(member, granted)
                        : Optional.empty()));
  }

  private @Nullable Mono<Boolean> hasMajority(Broadcast<MemberGrant> broadcast) {
    int votes = broadcast.count(MemberGrant::isVote);
    int pending = broadcast.pending();
    if (votes >= broadcast.majority()) {
      // a repeated acquisition has the number that a majority stores
      boolean needsAll = (wanted.fenced && isReentered()) || !eligibility.isAcquainted();
      return pending == 0 || !needsAll ? Mono.just(true) : null;
    }
    boolean isImpossible = votes + pending < broadcast.majority();
    return isImpossible && (pending == 0 || isBusy(broadcast)) ? Mono.just(false) : null;
  }

  /** Whether the token had the keys before at a member. */
  private boolean isReentered() {
    Set<Member> ours = takenByThisAttempt();
    return calls().anyMatch(call -> granted(call) != null && !ours.contains(call.member));
  }

  private static Grant.@Nullable Granted granted(MemberCall<MemberGrant> call) {
    MemberGrant grant = call.answer();
    return grant != null && grant.grant() instanceof Grant.Granted granted ? granted : null;
  }

  private static boolean isBusy(Broadcast<MemberGrant> broadcast) {
    return broadcast.count(grant -> !grant.isGranted()) > 0
        && broadcast.answers().size() >= broadcast.majority();
  }

  private Mono<Grant> withMajority(Broadcast<MemberGrant> broadcast) {
    Map<Member, MemberGrant> grants = broadcast.answers();
    Map<Member, MemberGrant> votes = new LinkedHashMap<>(grants);
    votes.values().removeIf(grant -> !grant.isVote());
    boolean fresh = !isReentered();
    Mono<OptionalLong> number =
        wanted.fenced
            ? new FencingNumbers(quorum)
                .number(keys, lease, wanted.ttl, votes)
                .map(OptionalLong::of)
            : Mono.just(OptionalLong.empty());
    return number
        .flatMap(
            known ->
                isOver()
                    ? Mono.<Grant>error(new StoreFailure(UNKNOWN_OUTCOME, true, TOO_LATE, null))
                    : granted(fresh, known))
        .onErrorResume(e -> undo(isReentered()).then(Mono.error(e)));
  }

  private static Mono<Grant> granted(boolean fresh, OptionalLong number) {
    return Mono.just(new Grant.Granted(fresh, number));
  }

  /**
   * Whether nothing is left of the ttl. Not checked for a ttl of a few milliseconds, of which
   * nothing would ever be left.
   */
  private boolean isOver() {
    return wanted.ttl.compareTo(SHORTEST_LEASE) >= 0
        && settings.now() - begunAt >= Grant.trustedFor(wanted.ttl).toNanos();
  }

  private Mono<Grant> withoutMajority(Broadcast<MemberGrant> broadcast) {
    if (mayAskAgain(broadcast)) {
      Duration pause = Duration.ofMillis(1L << (broadcasts.size() - 1));
      return settings.delay(pause).then(Mono.defer(this::run));
    }
    return undo(isReentered()).then(Mono.defer(() -> answer(broadcast)));
  }

  private boolean mayAskAgain(Broadcast<MemberGrant> broadcast) {
    Map<Member, MemberGrant> grants = broadcast.answers();
    return broadcasts.size() <= MOST_REPETITIONS
        && lease.releases() == releasesBefore
        && isBusy(broadcast)
        && quorum.members().stream()
            .map(grants::get)
            .flatMap(Stream::ofNullable)
            .findFirst()
            .filter(MemberGrant::isVote)
            .isPresent();
  }

  private Mono<Grant> answer(Broadcast<MemberGrant> broadcast) {
    Map<Member, MemberGrant> grants = broadcast.answers();
    if (isBusy(broadcast)) {
      int missing = broadcast.majority() - broadcast.count(MemberGrant::isVote);
      return Mono.just(MemberGrant.refusal(grants.values(), missing));
    }
    List<StoreFailure> problems = broadcast.failures();
    grants.values().forEach(grant -> grant.objection().ifPresent(problems::add));
    int ineligible = broadcast.count(grant -> grant.objection().isPresent());
    String answered =
        broadcast.answersInWords()
            + (ineligible == 0 ? "" : ", of whom " + ineligible + " must not vote yet");
    return Mono.error(QuorumFailure.of(problems, answered, broadcast.size(), UNKNOWN_OUTCOME));
  }

  /** The members at which this attempt took the keys, which the token did not have there before. */
  private Set<Member> takenByThisAttempt() {
    return calls()
        .filter(
            call -> {
              Grant.Granted granted = granted(call);
              return granted != null
                  && (granted.fresh() || lease.at(call.member).mayHaveTaken(keys));
            })
        .map(call -> call.member)
        .collect(Collectors.toSet());
  }

  private Stream<MemberCall<MemberGrant>> calls() {
    return broadcasts.stream().flatMap(broadcast -> broadcast.calls().stream());
  }

  /** Releases what was granted, or may have been, unless the token is in use. */
  private Mono<Void> undo(boolean inUse) {
    return Mono.deferContextual(context -> undo(inUse, context));
  }

  private Mono<Void> undo(boolean inUse, ContextView context) {
    Set<Member> ours = takenByThisAttempt();
    List<Mono<Void>> answers = new ArrayList<>();
    for (Member member : inUse ? List.<Member>of() : quorum.members()) {
      if (ours.contains(member)) {
        answers.add(lease.at(member).undo(keys, wanted.ttl, context));
      } else if (calls().anyMatch(call -> call.member == member && isInDoubt(call))) {
        var unused = lease.at(member).undo(keys, wanted.ttl, context);
      }
    }
    wakeUps.ignoreFrom(keys, ours);
    return Mono.when(answers);
  }

  private static boolean isInDoubt(MemberCall<MemberGrant> call) {
    StoreFailure failure = call.failure();
    return !call.isOver() || (failure != null && failure.isInDoubt());
  }
}
