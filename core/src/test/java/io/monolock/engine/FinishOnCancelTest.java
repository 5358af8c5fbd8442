// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.swallowed;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.LockOptions;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.test.CapturedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@DisplayName("B31: with finishOnCancel a cancelled body runs to its end under the lock")
class FinishOnCancelTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(9)).finishOnCancel(true);

  private final VirtualLocker v = new VirtualLocker();
  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicBoolean cancelled = new AtomicBoolean();

  private Mono<Object> work(Duration duration) {
    return Mono.delay(duration, v.time)
        .doOnNext(any -> done.set(true))
        .doOnCancel(() -> cancelled.set(true))
        .cast(Object.class);
  }

  private SignalProbe<Object> under(Mono<Object> body) {
    return v.run(v.locker.withLock("a", OPTIONS, lock -> body));
  }

  @Test
  void lockIsKeptAndRefreshedUntilTheBodyHasEnded() {
    SignalProbe<Object> probe = under(work(Duration.ofMinutes(5)));

    probe.cancel();
    v.pass(Duration.ofMinutes(5).minusMillis(1));
    assertThat(v.isFree("a")).isFalse();
    assertThat(done).isFalse();
    v.pass(Duration.ofMillis(1));

    assertThat(done).isTrue();
    assertThat(cancelled).isFalse();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void elementsAfterCancelAreDroppedAndTheRestOfTheBodyRuns() {
    AtomicInteger produced = new AtomicInteger();
    List<Integer> seen = new ArrayList<>();
    List<Integer> discarded = new ArrayList<>();
    Flux<Integer> scope =
        v.locker
            .withLockMany(
                "a",
                OPTIONS,
                lock -> Flux.range(1, 1_000).doOnNext(n -> produced.incrementAndGet()))
            .doOnDiscard(Integer.class, discarded::add);

    scope.subscribe(
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(Subscription subscription) {
            request(3);
          }

          @Override
          protected void hookOnNext(Integer n) {
            seen.add(n);
            if (n == 3) {
              cancel();
            }
          }
        });
    v.time.advanceTime();

    assertThat(seen).containsExactly(1, 2, 3);
    assertThat(produced).hasValue(1_000);
    assertThat(discarded).hasSize(997);
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void lossCancelsTheBody() {
    SignalProbe<Object> probe = under(work(Duration.ofMinutes(5)));
    probe.cancel();
    v.store.always(StoreOperation.EXTEND, swallowed());

    v.pass(Duration.ofSeconds(9));

    assertThat(cancelled).isTrue();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void cancelBeforeTheGrantStartsNothing() {
    ScriptedStore.HeldBack held = ScriptedStore.HeldBack.answer();
    v.store.next(StoreOperation.ACQUIRE, held);
    SignalProbe<Object> probe = under(work(Duration.ZERO));

    probe.cancel();
    held.letThrough();
    v.pass(Duration.ofSeconds(1));

    assertThat(done).isFalse();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void errorAfterCancelFreesTheKeyAndIsLogged() {
    SignalProbe<Object> probe =
        under(Mono.delay(Duration.ofSeconds(1), v.time).then(Mono.error(new Exception("own"))));
    probe.cancel();

    try (CapturedLog log = new CapturedLog()) {
      v.pass(Duration.ofSeconds(1));
      assertThat(log.lines("WARN")).singleElement().asString().contains("[a]");
    }
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void bodyThatIsNotCancelledGivesItsResult() {
    SignalProbe<Object> probe = under(Mono.just("done"));

    assertThat(probe.value()).isEqualTo("done");
    assertThat(v.isFree("a")).isTrue();
  }
}
