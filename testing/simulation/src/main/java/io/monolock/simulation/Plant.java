// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.LockStoreException;
import io.monolock.simulation.check.Call.Kind;
import io.monolock.simulation.world.SimulatedProcess;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.Set;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A fault that is planted between the library and its world, to see that the rule finds it that is
 * there for it. {@link PlantedStore} has those of stores; those of signals are here.
 */
enum Plant {
  NONE("-"),
  BUSY_IS_GRANTED("Exclusion"),
  MEMBERS_ALWAYS_VOTE("Exclusion"),
  HOLDER_IS_ROBBED("Exclusion"),
  EXTENDED_IS_FREED("Backed"),
  NUMBERS_FALL("Fencing"),
  EXTENDED_AFTER_RELEASE("OwnerOnly"),
  WRITES_ARE_LOST("AllOrNothing"),
  KEPT_IS_FREED("HoldAtLeast"),
  RELEASED_IS_DENIED("TruthfulRelease"),
  ATTEMPTS_ARE_MULTIPLIED("FewCommands"),
  RELEASES_ARE_SWALLOWED("NothingLeft"),
  RELEASES_ARE_UNANSWERED("NothingLeft"),

  /** The one that keeps a lock alive is not told of its loss. */
  LOSS_IS_KEPT_SECRET("ToldInTime"),

  RESULT_IS_DROPPED("ResultOfTheBody"),

  /** A subscriber is not told of an end. */
  END_IS_KEPT_SECRET("OneSignal"),

  /** A signal comes on the timer. */
  TIMER_SIGNALS("OwnThreads"),

  ANSWER_IS_IGNORED("NeedlessFailure"),

  /** Some waiters come later than they were asked to. */
  WAITERS_COME_LATE("OrderInLine"),

  /** Waiters sleep instead of asking. */
  WAITERS_SLEEP("NoIdleWaiter"),

  SUBSCRIBE_THROWS("Thrown");

  static final Duration SHORT = Duration.ofMillis(50);

  private final String rule;

  Plant(String rule) {
    this.rule = rule;
  }

  /** The rule that is to find it. */
  String rule() {
    return rule;
  }

  /** What a subscriber gets of the signals of a call. */
  <T> Flux<T> signals(Kind kind, Flux<T> source, Chance chance, SimulatedProcess process) {
    boolean isQuestion = kind == Kind.INSPECT || kind == Kind.TTL;
    return switch (this) {
      case LOSS_IS_KEPT_SECRET ->
          kind == Kind.KEEP_ALIVE ? source.onErrorResume(e -> Mono.never()) : source;
      case RESULT_IS_DROPPED ->
          kind == Kind.SCOPE ? source.filter(value -> !chance.oneIn(4)) : source;
      case END_IS_KEPT_SECRET -> isQuestion ? source.concatWith(Mono.never()) : source;
      case TIMER_SIGNALS -> isQuestion ? source.publishOn(process.timer()) : source;
      case ANSWER_IS_IGNORED -> isQuestion ? source.concatWith(Mono.error(timeout())) : source;
      case WAITERS_COME_LATE ->
          kind == Kind.ACQUIRE && chance.oneIn(3)
              ? source.delaySubscription(SHORT, process.publishOn())
              : source;
      case WAITERS_SLEEP ->
          kind == Kind.ACQUIRE && chance.oneIn(10)
              ? source.delaySubscription(Duration.ofSeconds(9), process.publishOn())
              : source;
      case SUBSCRIBE_THROWS -> isQuestion && chance.oneIn(3) ? thrown() : source;
      default -> source;
    };
  }

  private static LockStoreException timeout() {
    return new LockStoreException(Set.of("key0"), Reason.TIMEOUT, true, "planted", null);
  }

  private static <T> Flux<T> thrown() {
    return new Flux<>() {
      @Override
      public void subscribe(reactor.core.CoreSubscriber<? super T> actual) {
        throw new IllegalStateException("planted");
      }
    };
  }
}
