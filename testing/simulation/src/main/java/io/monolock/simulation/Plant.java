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
  BUSY_IS_GRANTED("Exclusion: two valid handles"),
  MEMBERS_ALWAYS_VOTE("Exclusion: two valid handles in an old quorum"),
  HOLDER_IS_ROBBED("Exclusion: two valid handles"),
  EXTENDED_IS_FREED("Backed: a valid lock was released"),
  NUMBERS_FALL("Fencing: a number that is not above the last"),
  EXTENDED_AFTER_RELEASE("OwnerOnly: an ended handle is prolonged"),
  WRITES_ARE_LOST("AllOrNothing: granted without all keys"),
  KEPT_IS_FREED("HoldAtLeast: freed too early by RELEASE"),
  RELEASED_IS_DENIED("TruthfulRelease: false though it freed the keys"),
  ATTEMPTS_ARE_MULTIPLIED("FewCommands: a herd of attempts"),
  RELEASES_ARE_SWALLOWED("NothingLeft: a key"),

  /** The one that keeps a lock alive is not told of its loss. */
  LOSS_IS_KEPT_SECRET("ToldInTime: a loss is not told"),

  RESULT_IS_DROPPED("ResultOfTheBody: another result"),

  /** A subscriber is not told of an end. */
  END_IS_KEPT_SECRET("OneSignal: no end"),

  /** A signal comes on the timer. */
  TIMER_SIGNALS("OwnThreads: user's code on TIMER"),

  ANSWER_IS_IGNORED("NeedlessFailure: a time-out"),

  /** Some waiters come later than they were asked to. */
  WAITERS_COME_LATE("OrderInLine: a waiter overtakes"),

  /** Waiters sleep instead of asking. */
  WAITERS_SLEEP("NoIdleWaiter: "),

  OVERDUE_THROWS("Thrown: IllegalStateException");

  static final Duration SHORT = Duration.ofMillis(50);

  private final String signature;

  Plant(String signature) {
    this.signature = signature;
  }

  /** How what the rule finds that is there for it begins: with the name of the rule. */
  String signature() {
    return signature;
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
      default -> source;
    };
  }

  private static LockStoreException timeout() {
    return new LockStoreException(Set.of("key0"), Reason.TIMEOUT, true, "planted", null);
  }
}
