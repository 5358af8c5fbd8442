// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.caller;

import io.monolock.Lock;
import io.monolock.simulation.check.BodyRun;
import io.monolock.simulation.check.Call;
import io.monolock.simulation.check.Handle;
import java.time.Duration;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What runs under a lock. */
public enum Body {
  /** A value, after a while. */
  VALUE {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      return turn.delay().thenReturn("value");
    }
  },

  /** Nothing, after a while. */
  EMPTY {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      return turn.delay().then(Mono.empty());
    }
  },

  /** An error, after a while. */
  FAILS {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      return turn.delay().then(Mono.error(new IllegalStateException("a body that fails")));
    }
  },

  /** Throws instead of giving a publisher. */
  THROWS {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      throw new IllegalStateException("a body that throws");
    }
  },

  /** Throws a checked exception when it is subscribed. */
  THROWS_SNEAKILY {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      return Flux.defer(Sneaky::rethrow);
    }
  },

  /** Does not end by itself. */
  NEVER {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      return Flux.never();
    }
  },

  /** Goes on though it is cancelled. */
  IGNORES_CANCEL {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      long rest = turn.holdTime();
      return Flux.create(
          sink ->
              turn.later(
                  rest,
                  () -> {
                    sink.next("late");
                    sink.complete();
                  }));
    }
  },

  /** Some elements, each after a while. */
  MANY {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      return Flux.range(0, 1 + turn.random().below(5)).concatMap(i -> turn.delay().thenReturn(i));
    }
  },

  /** All elements from inside of their request. */
  AT_ONCE {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      return Flux.range(0, 1 + turn.random().below(5)).cast(Object.class);
    }
  },

  /** Gives the lock back by itself, and goes on. */
  RELEASES {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      return turn.delay().then(turn.release(lock)).then(turn.delay()).thenReturn("released");
    }
  },

  /** Takes another lock while it has this one. */
  NESTS {
    @Override
    Publisher<Object> work(Turn turn, Lock lock) {
      return turn.nested().onErrorComplete().then(Mono.just("nested"));
    }
  };

  abstract Publisher<Object> work(Turn turn, Lock lock);

  /** The body of a scope that ends with the first element. */
  final Mono<Object> single(Turn turn, Call call, Lock lock) {
    return run(turn, call, lock, true).singleOrEmpty();
  }

  /** The body of one scope, of which is written down what it does. */
  final Flux<Object> run(Turn turn, Call call, Lock lock) {
    return run(turn, call, lock, false);
  }

  private Flux<Object> run(Turn turn, Call call, Lock lock, boolean single) {
    Handle handle = turn.checker().delivered(lock, call);
    BodyRun run = turn.checker().begins(call, handle);
    Publisher<Object> work;
    try {
      work = work(turn.remember(handle), lock);
    } catch (RuntimeException e) {
      turn.checker().bodyEnded(run, e);
      throw e;
    }
    return (single ? Flux.from(work).take(1) : Flux.from(work))
        .doOnNext(run::emitted)
        .doOnError(e -> turn.checker().bodyEnded(run, e))
        .doOnComplete(() -> turn.checker().bodyEnded(run, null))
        .doOnCancel(() -> turn.checker().bodyCancelled(run));
  }

  static Duration nanos(long nanos) {
    return Duration.ofNanos(nanos);
  }
}
