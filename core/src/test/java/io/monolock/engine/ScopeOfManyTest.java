// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.LockLostException;
import io.monolock.LockOptions;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class ScopeOfManyTest {

  private static final Duration TTL = Duration.ofSeconds(9);

  private final VirtualLocker v = new VirtualLocker();

  private <T> Flux<T> under(Flux<T> body) {
    return v.locker.withLockMany("a", LockOptions.of(TTL), lock -> body);
  }

  @Test
  void elementsAndCompletionOfTheBodyAreTheResult() {
    SignalProbe<Integer> probe = v.run(under(Flux.range(1, 3)));

    assertThat(probe.values).containsExactly(1, 2, 3);
    assertThat(probe.error).isNull();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void elementsArriveWhileTheLockIsHeld() {
    TestPublisher<Integer> body = TestPublisher.create();
    SignalProbe<Integer> probe = v.run(under(body.flux()));

    body.next(1);

    assertThat(probe.values).containsExactly(1);
    assertThat(v.isFree("a")).isFalse();
  }

  @Test
  void errorAfterElementsIsTheResult() {
    Exception own = new Exception("own");

    SignalProbe<Integer> probe = v.run(under(Flux.concat(Flux.just(1), Flux.error(own))));

    assertThat(probe.values).containsExactly(1);
    assertThat(probe.error).isSameAs(own);
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void demandOfTheSubscriberReachesTheBody() {
    AtomicLong requested = new AtomicLong();
    Flux<Integer> body = Flux.range(1, 100).doOnRequest(requested::addAndGet);

    StepVerifier.create(under(body), 0)
        .then(v.time::advanceTime)
        .thenRequest(2)
        .expectNext(1, 2)
        .then(() -> assertThat(requested).hasValue(2))
        .thenRequest(3)
        .expectNext(3, 4, 5)
        .then(() -> assertThat(requested).hasValue(5))
        .thenCancel()
        .verify(Duration.ofSeconds(5));
  }

  @Test
  @DisplayName("take(1) and Mono.from end with cancel, and the key is free")
  void takingTheFirstFreesTheKey() {
    assertThat(v.get(under(Flux.range(1, 10)).take(1))).isEqualTo(1);
    assertThat(v.isFree("a")).isTrue();

    assertThat(v.get(Mono.from(under(Flux.range(1, 10))))).isEqualTo(1);
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void endlessBodyThatIsCancelledFromItsOwnElementEnds() {
    Flux<Integer> endless = Flux.<Integer>generate(sink -> sink.next(1));

    v.run(under(endless).takeUntil(any -> true));

    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @DisplayName("G5: an element past the deadline is a loss, and is discarded")
  void elementPastTheDeadlineIsALoss() {
    TestPublisher<Integer> body = TestPublisher.create();
    List<Object> discarded = new ArrayList<>();
    SignalProbe<Integer> probe =
        v.run(
            v.locker
                .withLockMany(
                    "a",
                    LockOptions.of(TTL).autoRefresh(false),
                    lock ->
                        body.flux()
                            .doOnNext(
                                n -> {
                                  if (n == 2) {
                                    v.time.advanceTimeBy(TTL);
                                  }
                                }))
                .doOnDiscard(Integer.class, discarded::add));
    body.next(1);
    // the body is at work on 2 when its lock ends
    body.next(2);

    assertThat(probe.values).containsExactly(1);
    assertThat(probe.error).isInstanceOf(LockLostException.class);
    assertThat(discarded).containsExactly(2);
  }

  @Test
  @DisplayName("G5: a loss cancels the body between two elements")
  void lossCancelsTheBody() {
    TestPublisher<Integer> body = TestPublisher.create();
    SignalProbe<Integer> probe = v.run(under(body.flux()));
    body.next(1);
    v.get(v.locker.forceRelease("a"));

    v.pass(TTL.dividedBy(3));

    body.assertCancelled();
    assertThat(probe.error).isInstanceOf(LockLostException.class);
  }

  @Test
  @DisplayName("B124: what the body throws on a later demand is the result, and the key is free")
  void laterDemandThrows() {
    NoClassDefFoundError own = new NoClassDefFoundError("own");
    Flux<Integer> body =
        Flux.range(1, 10)
            .map(
                n -> {
                  if (n == 2) {
                    throw own;
                  }
                  return n;
                });

    StepVerifier.create(under(body), 1)
        .then(v.time::advanceTime)
        .expectNext(1)
        .thenRequest(1)
        .then(v.time::advanceTime)
        .expectErrorMatches(e -> e == own)
        .verify(Duration.ofSeconds(5));
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void cancelDuringTheBodyFreesTheKey() {
    AtomicBoolean cancelled = new AtomicBoolean();
    SignalProbe<Object> probe = v.run(under(Flux.never().doOnCancel(() -> cancelled.set(true))));

    probe.cancel();
    v.time.advanceTime();

    assertThat(cancelled).isTrue();
    assertThat(v.isFree("a")).isTrue();
    assertThat(v.time.now(TimeUnit.SECONDS)).isZero();
  }
}
