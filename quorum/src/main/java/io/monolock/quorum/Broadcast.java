// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

/**
 * One call to all members at once. It ends as soon as the result is certain; the answers that are
 * missing then are still received.
 *
 * @param <A> what a member answers
 */
final class Broadcast<A> {

  /** Decides the result from the answers and failures so far. */
  interface Rule<A, R> {

    /** The result, or null if it is not certain yet; it must be once no member is pending. */
    @Nullable Mono<R> result(Broadcast<A> broadcast);
  }

  private final List<Member> members;
  private final QuorumSettings settings;
  private final Function<Member, Mono<A>> request;

  private BiConsumer<MemberCall<A>, ContextView> sending = (call, context) -> call.send();
  private final List<MemberCall<A>> calls = new ArrayList<>();
  private final Map<Member, A> answers = new LinkedHashMap<>(); // guarded by this
  private final List<StoreFailure> failures = new ArrayList<>(); // guarded by this

  /** Not sent yet; the function makes the call to a member. */
  Broadcast(Quorum quorum, Function<Member, Mono<A>> request) {
    this.members = quorum.members();
    this.settings = quorum.settings();
    this.request = request;
  }

  /** Sends each call in another way than at once. To be set before {@link #ask}. */
  Broadcast<A> by(BiConsumer<MemberCall<A>, ContextView> sending) {
    this.sending = sending;
    return this;
  }

  /** Sends the calls upon the subscription, of which there must be only one. */
  <R> Mono<R> ask(Rule<A, R> rule) {
    return Mono.deferContextual(context -> ask(rule, context));
  }

  private <R> Mono<R> ask(Rule<A, R> rule, ContextView context) {
    Sinks.One<Mono<R>> result = Sinks.one();
    for (Member member : members) {
      Mono<A> answer = Mono.defer(() -> request.apply(member));
      MemberCall<A> call = new MemberCall<>(member, answer, settings, context);
      calls.add(call);
      call.outcome().subscribe(null, null, () -> onOutcome(call, rule, result));
    }
    calls.forEach(call -> sending.accept(call, context));
    return result.asMono().flatMap(Function.identity());
  }

  private <R> void onOutcome(MemberCall<A> call, Rule<A, R> rule, Sinks.One<Mono<R>> result) {
    Mono<R> decided;
    synchronized (this) {
      StoreFailure failure = call.failure();
      A answer = call.answer();
      if (failure != null) {
        failures.add(failure);
      } else if (answer != null) {
        answers.put(call.member, answer);
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

  /** How many members have neither answered nor failed yet. */
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

  /** The calls, one for each member, in their order. */
  List<MemberCall<A>> calls() {
    return calls;
  }

  /** The failure when no majority has answered. */
  StoreFailure failure(StoreProblem.Reason inDoubt) {
    return QuorumFailure.of(failures(), answersInWords(), size(), inDoubt);
  }

  /** How many members answered, as text. */
  String answersInWords() {
    return answers().size() + " of " + size() + " members answered";
  }

  /** True if a majority answered true, false if no majority can, a failure if too few answered. */
  static @Nullable Mono<Boolean> yesOrNo(Broadcast<Boolean> broadcast) {
    int yes = broadcast.count(answer -> answer);
    int no = broadcast.count(answer -> !answer);
    if (yes >= broadcast.majority()) {
      return Mono.just(true);
    }
    if (no > broadcast.size() - broadcast.majority()) {
      return Mono.just(false);
    }
    return broadcast.pending() == 0
        ? Mono.error(broadcast.failure(StoreProblem.Reason.UNKNOWN_OUTCOME))
        : null;
  }
}
