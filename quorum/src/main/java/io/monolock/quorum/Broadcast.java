// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

/**
 * Asks all members the same at once, and ends as soon as the result is certain. Who has not
 * answered by then is still listened to.
 *
 * @param <A> what a member answers
 */
final class Broadcast<A> {

  /** Tells the result from what has been heard so far. */
  interface Rule<A, R> {

    /**
     * Called after each member that was heard, by one thread at a time.
     *
     * @return the result, or null if it is not certain yet, which it has to be when all were heard
     */
    @Nullable Mono<R> result(Broadcast<A> round);
  }

  private final List<Member> members;
  private final QuorumSettings settings;
  private final Function<Member, Mono<A>> call;
  private final Duration limit;

  private @Nullable Consumer<MemberCall<A>> whenOver;
  private final List<MemberCall<A>> questions = new ArrayList<>();
  private final Map<Member, A> answers = new LinkedHashMap<>(); // guarded by this
  private final List<StoreFailure> failures = new ArrayList<>(); // guarded by this

  /**
   * A round that was not begun yet.
   *
   * @param call what to ask a member
   * @param limit how long each may take
   */
  Broadcast(
      List<Member> members,
      QuorumSettings settings,
      Function<Member, Mono<A>> call,
      Duration limit) {
    this.members = members;
    this.settings = settings;
    this.call = call;
    this.limit = limit;
  }

  /** What to do with each question of which nothing more will come; to be said before asking. */
  Broadcast<A> whenOver(Consumer<MemberCall<A>> action) {
    whenOver = action;
    return this;
  }

  /** Asks, upon the subscription, of which there must be one only. */
  <R> Mono<R> ask(Rule<A, R> rule) {
    return Mono.deferContextual(context -> ask(rule, context));
  }

  private <R> Mono<R> ask(Rule<A, R> rule, ContextView context) {
    Sinks.One<Mono<R>> result = Sinks.one();
    Consumer<MemberCall<A>> whenOver = this.whenOver;
    for (Member member : members) {
      Mono<A> answer = member.call(() -> call.apply(member));
      MemberCall<A> question =
          new MemberCall<>(member, answer, settings, context, heard -> heard(heard, rule, result));
      if (whenOver != null) {
        question.whenOver(() -> whenOver.accept(question));
      }
      questions.add(question);
    }
    questions.forEach(question -> question.ask(limit));
    return result.asMono().flatMap(Function.identity());
  }

  private <R> void heard(MemberCall<A> question, Rule<A, R> rule, Sinks.One<Mono<R>> result) {
    Mono<R> decided;
    synchronized (this) {
      StoreFailure failure = question.failure();
      A answer = question.answer();
      if (failure != null) {
        failures.add(failure);
      } else if (answer != null) {
        answers.put(question.member, answer);
      }
      decided = rule.result(this);
    }
    if (decided != null) {
      result.tryEmitValue(decided);
    }
  }

  /** How many members are more than half. */
  int majority() {
    return members.size() / 2 + 1;
  }

  /** How many have been heard of neither an answer nor a failure. */
  synchronized int pending() {
    return members.size() - answers.size() - failures.size();
  }

  synchronized Map<Member, A> answers() {
    return new LinkedHashMap<>(answers);
  }

  synchronized List<StoreFailure> failures() {
    return new ArrayList<>(failures);
  }

  synchronized int count(Predicate<? super A> which) {
    return (int) answers.values().stream().filter(which).count();
  }

  int size() {
    return members.size();
  }

  /** What was asked, one question for each member, in their order. */
  List<MemberCall<A>> questions() {
    return questions;
  }

  /** The failure of a call that no majority has answered. */
  StoreFailure failure(StoreProblem.Reason inDoubt) {
    return QuorumFailure.of(failures(), answered(), size(), inDoubt);
  }

  /** How many members answered, in words. */
  String answered() {
    return answers().size() + " of " + size() + " members answered";
  }

  /** True if a majority says so, false if none can, and else a failure as too few answered. */
  static @Nullable Mono<Boolean> yesOrNo(Broadcast<Boolean> round) {
    int yes = round.count(answer -> answer);
    int no = round.count(answer -> !answer);
    if (yes >= round.majority()) {
      return Mono.just(true);
    }
    if (no > round.size() - round.majority()) {
      return Mono.just(false);
    }
    return round.pending() == 0
        ? Mono.error(round.failure(StoreProblem.Reason.UNKNOWN_OUTCOME))
        : null;
  }
}
