// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.Lock;
import io.monolock.simulation.check.BodyRun;
import io.monolock.simulation.check.Call;
import io.monolock.simulation.check.Handle;
import java.util.function.BiFunction;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What runs under a lock. */
enum Body {
  VALUE((turn, lock) -> turn.delay().thenReturn("value")),
  EMPTY((turn, lock) -> turn.delay().then(Mono.empty())),
  FAILS((turn, lock) -> turn.delay().then(Mono.error(new IllegalStateException("a body fails")))),

  /** Throws instead of giving a publisher. */
  THROWS(
      (turn, lock) -> {
        throw new IllegalStateException("a body that throws");
      }),

  /** Throws a checked exception when it is subscribed. */
  THROWS_SNEAKILY((turn, lock) -> Flux.defer(Sneaky::rethrow)),

  /** Does not end by itself. */
  NEVER((turn, lock) -> Flux.never()),

  /** Goes on though it is cancelled. */
  IGNORES_CANCEL((turn, lock) -> turn.regardless("late")),

  /** Keeps its thread for a while. */
  BLOCKS((turn, lock) -> turn.delay().doOnNext(any -> turn.block()).thenReturn("blocked")),

  /** Some elements, each after a while. */
  MANY((turn, lock) -> Flux.range(0, turn.few()).concatMap(i -> turn.delay().thenReturn(i))),

  /** All elements from inside of their request. */
  AT_ONCE((turn, lock) -> Flux.range(0, turn.few())),

  /** Each element from inside of the signal of the one before. */
  FEEDS_ITSELF((turn, lock) -> feedback(turn.few())),

  /** Gives the lock back by itself, and goes on. */
  RELEASES(
      (turn, lock) ->
          turn.delay().then(turn.release(lock)).then(turn.delay()).thenReturn("released")),

  /** Takes another lock while it has this one. */
  NESTS((turn, lock) -> turn.nested().onErrorComplete().then(Mono.just("nested")));

  @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
  private final BiFunction<Turn, Lock, Publisher<?>> work;

  Body(BiFunction<Turn, Lock, Publisher<?>> work) {
    this.work = work;
  }

  private static Flux<Integer> feedback(int size) {
    return Flux.defer(
        () -> {
          Sinks.Many<Integer> sink = Sinks.many().unicast().onBackpressureBuffer();
          sink.tryEmitNext(1);
          return sink.asFlux().doOnNext(i -> next(sink, i, size));
        });
  }

  private static void next(Sinks.Many<Integer> sink, int i, int size) {
    if (i < size) {
      sink.tryEmitNext(i + 1);
    } else {
      sink.tryEmitComplete();
    }
  }

  /** The body of a scope that ends with the first element. */
  Mono<Object> single(Turn turn, Call call, Lock lock) {
    return run(turn, call, lock, true).singleOrEmpty();
  }

  /** The body of one scope, of which is written down what it does. */
  Flux<Object> run(Turn turn, Call call, Lock lock) {
    return run(turn, call, lock, false);
  }

  private Flux<Object> run(Turn turn, Call call, Lock lock, boolean single) {
    Handle handle = turn.remember(turn.checker().delivered(lock, call));
    BodyRun run = turn.checker().begins(call, handle);
    Flux<Object> publisher;
    try {
      publisher = Flux.from(work.apply(turn, lock)).cast(Object.class);
    } catch (RuntimeException e) {
      turn.checker().bodyEnded(run, e);
      throw e;
    }
    return (single ? publisher.take(1) : publisher)
        .doOnNext(run::emitted)
        .doOnError(e -> turn.checker().bodyEnded(run, e))
        .doOnComplete(() -> turn.checker().bodyEnded(run, null))
        .doOnCancel(() -> turn.checker().bodyCancelled(run));
  }
}
