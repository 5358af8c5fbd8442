// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Sinks;

/** Bodies that emit from within a call of their own subscriber. */
class ReentrantBodyTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

  private final VirtualLocker v = new VirtualLocker();
  private final Sinks.Many<Integer> events = Sinks.many().multicast().directBestEffort();
  private final List<Integer> got = new CopyOnWriteArrayList<>();

  /** The consumer of a number up to four causes the next one, as in an event bus. */
  private void consume(Flux<Integer> elements) {
    elements.subscribe(
        number -> {
          got.add(number);
          if (number < 4) {
            events.tryEmitNext(number + 1);
          }
        });
    v.time.advanceTime();
    assertThat(events.tryEmitNext(0)).isEqualTo(Sinks.EmitResult.OK);
    v.time.advanceTime();
  }

  @Test
  void elementsThatTheConsumerCausesArriveInOrderFromAScope() {
    consume(v.locker.withLockMany("a", OPTIONS, lock -> events.asFlux()));

    assertThat(got).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void elementsThatTheConsumerCausesArriveInOrderWhileALockIsHeld() {
    Lock lock = v.get(v.locker.acquire("a", OPTIONS));
    consume(lock.whileHeldMany(events.asFlux()));

    assertThat(got).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void elementsThatARequestCausesArriveInOrderWhenTheyAreRequestedOneByOne() {
    OneByOne consumer = new OneByOne();
    v.locker.withLockMany("a", OPTIONS, lock -> emittingWithinRequest()).subscribe(consumer);
    v.time.advanceTime();

    assertThat(got).containsExactly(0, 1, 2, 3, 4);
    assertThat(consumer.isDisposed()).as("completed").isTrue();
  }

  @Test
  void elementsThatAPushingBodyEmitsWithinARequestArriveInOrder() {
    OneByOne consumer = new OneByOne();
    v.locker.withLockMany("a", OPTIONS, lock -> pushing()).subscribe(consumer);
    v.time.advanceTime();

    assertThat(got).containsExactly(0, 1, 2, 3, 4);
    assertThat(consumer.isDisposed()).as("completed").isTrue();
  }

  /** Five numbers, each of them emitted in the thread that requests it. */
  private static Publisher<Integer> emittingWithinRequest() {
    return subscriber ->
        subscriber.onSubscribe(
            new Subscription() {
              private int next;
              private boolean completed;

              @Override
              public void request(long n) {
                for (long i = 0; i < n && next < 5; i++) {
                  subscriber.onNext(next++);
                }
                if (next == 5 && !completed) {
                  completed = true;
                  subscriber.onComplete();
                }
              }

              @Override
              public void cancel() {}
            });
  }

  private static Flux<Integer> pushing() {
    return Flux.push(
        sink -> {
          int[] next = {0};
          sink.onRequest(
              n -> {
                for (long i = 0; i < n && next[0] < 5; i++) {
                  sink.next(next[0]++);
                }
                if (next[0] == 5) {
                  sink.complete();
                }
              });
        },
        FluxSink.OverflowStrategy.IGNORE);
  }

  /** Requests the next element when it has got one. */
  private final class OneByOne extends BaseSubscriber<Integer> {

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      request(1);
    }

    @Override
    protected void hookOnNext(Integer number) {
      got.add(number);
      request(1);
    }
  }
}
