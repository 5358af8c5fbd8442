// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.store.StoreProblem.Reason.UNAVAILABLE;
import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

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
 * <h2>In vain</h2>
 *
 * <p>When no majority can be had any more, what members have granted is released, and so is what
 * they may have granted: by those who are silent, and by those whose answer was lost. It is told
 * when those who granted have answered that, so that the next attempt meets nothing of this one;
 * the others are left to the {@link Debts}. A grant that comes later still is released then. What a
 * member granted to a token that had the keys already is not released, as somebody may hold it.
 *
 * <h2>Run-off</h2>
 *
 * <p>Several who ask at the same time may each get some members, and none of them a majority. If
 * all gave up, they might do the same to each other again and again. So the one who got the first
 * member of those that answered keeps what it has for a moment, and asks again; all others give up.
 */
final class QuorumAcquire {

  private static final int MOST_RUN_OFFS = 6;
  private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

  private final List<Member> members;
  private final QuorumSettings settings;
  private final MemberEligibility voters;
  private final QuorumWakeUps hints;
  private final LockKeys keys;
  private final String token;
  private final String metadata;
  private final Duration ttl;
  private final boolean fenced;
  private final long begunAt;
  private final List<Broadcast<MemberGrant>> rounds = new ArrayList<>();

  QuorumAcquire(
      List<Member> members,
      QuorumSettings settings,
      MemberEligibility voters,
      QuorumWakeUps hints,
      LockKeys keys,
      String token,
      String metadata,
      Duration ttl,
      boolean fenced) {
    this.members = members;
    this.settings = settings;
    this.voters = voters;
    this.hints = hints;
    this.keys = keys;
    this.token = token;
    this.metadata = metadata;
    this.ttl = ttl;
    this.fenced = fenced;
    this.begunAt = settings.now();
  }

  Mono<Grant> run() {
    Broadcast<MemberGrant> round =
        new Broadcast<>(members, settings, this::ask, settings.memberTimeout());
    rounds.add(round);
    return round
        .<Boolean>ask(this::isElected)
        .flatMap(elected -> elected ? elected(round) : refused(round));
  }

  private Mono<MemberGrant> ask(Member member) {
    if (member.debts.owes(keys, token) || isUnanswered(member)) {
      return Mono.error(member.failure(UNAVAILABLE, "has not answered earlier calls yet", null));
    }
    Mono<Grant> grant = member.store.acquire(keys, token, metadata, ttl, fenced).cache();
    Mono<MemberGrant> busy =
        grant
            .filter(Grant.Busy.class::isInstance)
            .map(given -> new MemberGrant(given, Optional.empty()))
            .switchIfEmpty(Mono.never());
    // the order in which they are subscribed is that in which they are sent
    return Mono.firstWithSignal(busy, Mono.zip(grant, voters.objection(member), MemberGrant::new));
  }

  private boolean isUnanswered(Member member) {
    // the last round is the one that asks
    return rounds.subList(0, rounds.size() - 1).stream()
        .flatMap(round -> round.questions().stream())
        .anyMatch(question -> question.member.equals(member) && !question.isOver());
  }

  private @Nullable Mono<Boolean> isElected(Broadcast<MemberGrant> round) {
    int votes = round.count(MemberGrant::isVote);
    int pending = round.pending();
    if (votes >= round.majority()) {
      return pending == 0 || !mayRepeatNumber(round) ? Mono.just(true) : null;
    }
    boolean isLost = votes + pending < round.majority();
    return isLost && (pending == 0 || isBusy(round)) ? Mono.just(false) : null;
  }

  /** A repeated acquisition has to find out which number a majority keeps, if it has one. */
  private boolean mayRepeatNumber(Broadcast<MemberGrant> round) {
    return fenced && isReentered(round.answers());
  }

  private boolean isReentered(Map<Member, MemberGrant> ballots) {
    Set<Member> ours = takenByUs();
    return ballots.entrySet().stream()
        .anyMatch(one -> one.getValue().isGranted() && !ours.contains(one.getKey()));
  }

  private static boolean isBusy(Broadcast<MemberGrant> round) {
    return round.count(ballot -> !ballot.isGranted()) > 0
        && round.answers().size() >= round.majority();
  }

  private Mono<Grant> elected(Broadcast<MemberGrant> round) {
    Map<Member, MemberGrant> ballots = round.answers();
    Map<Member, MemberGrant> votes = new LinkedHashMap<>(ballots);
    votes.values().removeIf(ballot -> !ballot.isVote());
    boolean fresh = !isReentered(votes);
    Mono<OptionalLong> number =
        fenced
            ? new FencingNumbers(members, settings).number(keys, token, votes).map(OptionalLong::of)
            : Mono.just(OptionalLong.empty());
    return number
        .flatMap(known -> isOver() ? Mono.<Grant>error(tooLate()) : granted(fresh, known))
        .onErrorResume(e -> withdraw().then(Mono.error(e)));
  }

  private static Mono<Grant> granted(boolean fresh, OptionalLong number) {
    return Mono.just(new Grant.Granted(fresh, number));
  }

  /** Whether nothing is left of the ttl. One of some milliseconds never lasts that long. */
  private boolean isOver() {
    return ttl.compareTo(SHORTEST_LEASE) >= 0
        && settings.now() - begunAt >= Grant.trustedFor(ttl).toNanos();
  }

  private StoreFailure tooLate() {
    return new StoreFailure(
        UNKNOWN_OUTCOME,
        true,
        "a majority of the members has granted the keys, but not before their ttl was over",
        null);
  }

  private Mono<Grant> refused(Broadcast<MemberGrant> round) {
    StoreFailure misuse = voters.misuse();
    if (misuse == null && mayRunOff(round)) {
      Duration pause = Duration.ofMillis(1L << (rounds.size() - 1));
      return settings.delay(pause).then(Mono.defer(this::run));
    }
    return withdraw().then(Mono.defer(() -> misuse != null ? Mono.error(misuse) : answer(round)));
  }

  private boolean mayRunOff(Broadcast<MemberGrant> round) {
    Map<Member, MemberGrant> ballots = round.answers();
    return rounds.size() <= MOST_RUN_OFFS
        && isBusy(round)
        && members.stream()
            .map(ballots::get)
            .flatMap(Stream::ofNullable)
            .findFirst()
            .filter(MemberGrant::isVote)
            .isPresent();
  }

  private Mono<Grant> answer(Broadcast<MemberGrant> round) {
    Map<Member, MemberGrant> ballots = round.answers();
    if (isBusy(round)) {
      int missing = round.majority() - round.count(MemberGrant::isVote);
      return Mono.just(Refusal.of(ballots.values(), missing));
    }
    List<StoreFailure> problems = round.failures();
    ballots.values().forEach(ballot -> ballot.objection().ifPresent(problems::add));
    int barred = round.count(ballot -> ballot.objection().isPresent());
    String answered =
        round.answered() + (barred == 0 ? "" : ", of whom " + barred + " must not vote yet");
    return Mono.error(QuorumFailure.of(problems, answered, round.size(), UNKNOWN_OUTCOME));
  }

  /** The members that had nothing of ours, and have granted it to this attempt. */
  private Set<Member> takenByUs() {
    Set<Member> ours = new HashSet<>();
    for (MemberCall<MemberGrant> question : questions()) {
      MemberGrant ballot = question.answer();
      if (ballot != null && ballot.grant() instanceof Grant.Granted given && given.fresh()) {
        ours.add(question.member);
      }
    }
    return ours;
  }

  private List<MemberCall<MemberGrant>> questions() {
    return rounds.stream().flatMap(round -> round.questions().stream()).toList();
  }

  /** Gives back what was, or may have been, granted. */
  private Mono<Void> withdraw() {
    return Mono.deferContextual(this::withdraw);
  }

  private Mono<Void> withdraw(ContextView context) {
    Set<Member> ours = takenByUs();
    boolean inUse =
        questions().stream().anyMatch(one -> isGranted(one) && !ours.contains(one.member));
    List<Mono<Void>> answers = new ArrayList<>();
    for (Member member : members) {
      List<MemberCall<MemberGrant>> asked =
          questions().stream().filter(one -> one.member.equals(member)).toList();
      List<MemberCall<MemberGrant>> open = asked.stream().filter(one -> !one.isOver()).toList();
      boolean inDoubt = asked.stream().anyMatch(QuorumAcquire::isInDoubt);
      if (ours.contains(member)) {
        answers.add(member.debts.add(keys, token, open, ttl, context));
      } else if (inDoubt && !inUse) {
        var unused = member.debts.add(keys, token, open, ttl, context);
      }
    }
    hints.causedAt(keys, ours);
    return Mono.when(answers);
  }

  private static boolean isGranted(MemberCall<MemberGrant> question) {
    MemberGrant ballot = question.answer();
    return ballot != null && ballot.isGranted();
  }

  private static boolean isInDoubt(MemberCall<MemberGrant> question) {
    StoreFailure failure = question.failure();
    return !question.isOver()
        || (question.answer() == null && failure != null && failure.isInDoubt());
  }
}
