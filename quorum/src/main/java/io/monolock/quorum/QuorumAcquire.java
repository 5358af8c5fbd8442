// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.quorum.MemberLease.Kind;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
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
                    lease.at(call.member).enter(Kind.ACQUIRE, keys, wanted.ttl, call));
    broadcasts.add(broadcast);
    return broadcast
        .<Boolean>ask(this::hasMajority)
        .flatMap(
            majority -> {
              eligibility.acquainted();
              StoreFailure misuse = eligibility.misuse();
              if (misuse != null) {
                return undo().then(Mono.error(misuse));
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
      boolean needsAll = mayRepeatNumber(broadcast) || !eligibility.isAcquainted();
      return pending == 0 || !needsAll ? Mono.just(true) : null;
    }
    boolean isImpossible = votes + pending < broadcast.majority();
    return isImpossible && (pending == 0 || isBusy(broadcast)) ? Mono.just(false) : null;
  }

  /**
   * Whether this may repeat an acquisition, whose number is the one that a majority stores; then
   * all answers are needed.
   */
  private boolean mayRepeatNumber(Broadcast<MemberGrant> broadcast) {
    return wanted.fenced && isReentered(broadcast.answers());
  }

  private boolean isReentered(Map<Member, MemberGrant> grants) {
    Set<Member> ours = takenByThisAttempt();
    return grants.entrySet().stream()
        .anyMatch(one -> one.getValue().isGranted() && !ours.contains(one.getKey()));
  }

  private static boolean isBusy(Broadcast<MemberGrant> broadcast) {
    return broadcast.count(grant -> !grant.isGranted()) > 0
        && broadcast.answers().size() >= broadcast.majority();
  }

  private Mono<Grant> withMajority(Broadcast<MemberGrant> broadcast) {
    Map<Member, MemberGrant> grants = broadcast.answers();
    Map<Member, MemberGrant> votes = new LinkedHashMap<>(grants);
    votes.values().removeIf(grant -> !grant.isVote());
    boolean fresh = !isReentered(votes);
    Mono<OptionalLong> number =
        wanted.fenced
            ? new FencingNumbers(quorum)
                .number(keys, lease, wanted.ttl, votes)
                .map(OptionalLong::of)
            : Mono.just(OptionalLong.empty());
    return number
        .flatMap(known -> isOver() ? Mono.<Grant>error(tooLate()) : granted(fresh, known))
        .onErrorResume(e -> undo().then(Mono.error(e)));
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

  private StoreFailure tooLate() {
    return new StoreFailure(
        UNKNOWN_OUTCOME,
        true,
        "a majority of the members has granted the keys, but not before their ttl was over",
        null);
  }

  private Mono<Grant> withoutMajority(Broadcast<MemberGrant> broadcast) {
    if (mayAskAgain(broadcast)) {
      Duration pause = Duration.ofMillis(1L << (broadcasts.size() - 1));
      return settings.delay(pause).then(Mono.defer(this::run));
    }
    return undo().then(Mono.defer(() -> answer(broadcast)));
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
    Set<Member> ours = new HashSet<>();
    for (MemberCall<MemberGrant> call : calls()) {
      MemberGrant grant = call.answer();
      if (grant != null
          && grant.grant() instanceof Grant.Granted given
          && (given.fresh() || lease.at(call.member).mayHaveTaken(keys))) {
        ours.add(call.member);
      }
    }
    return ours;
  }

  private Stream<MemberCall<MemberGrant>> callsTo(Member member) {
    return calls().stream().filter(call -> call.member.equals(member));
  }

  private List<MemberCall<MemberGrant>> calls() {
    return broadcasts.stream().flatMap(broadcast -> broadcast.calls().stream()).toList();
  }

  /** Releases what was granted, or may have been. */
  private Mono<Void> undo() {
    return Mono.deferContextual(this::undo);
  }

  private Mono<Void> undo(ContextView context) {
    Set<Member> ours = takenByThisAttempt();
    boolean inUse =
        calls().stream().anyMatch(call -> isGranted(call) && !ours.contains(call.member));
    List<Mono<Void>> answers = new ArrayList<>();
    for (Member member : inUse ? List.<Member>of() : quorum.members()) {
      if (ours.contains(member)) {
        answers.add(lease.at(member).undo(keys, wanted.ttl, context));
      } else if (callsTo(member).anyMatch(QuorumAcquire::isInDoubt)) {
        var unused = lease.at(member).undo(keys, wanted.ttl, context);
      }
    }
    wakeUps.ignoreFrom(keys, ours);
    return Mono.when(answers);
  }

  private static boolean isGranted(MemberCall<MemberGrant> call) {
    MemberGrant grant = call.answer();
    return grant != null && grant.isGranted();
  }

  private static boolean isInDoubt(MemberCall<MemberGrant> call) {
    StoreFailure failure = call.failure();
    return !call.isOver() || (failure != null && failure.isInDoubt());
  }
}
