// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.engine.ScriptedStore.StoreOperation.EXTEND;
import static io.monolock.engine.ScriptedStore.StoreOperation.RELEASE;
import static io.monolock.store.StoreProblem.Reason.UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.util.retry.Retry;

class TokenTest {

  private static final Duration TTL = Duration.ofSeconds(10);
  private static final LockOptions OPTIONS = LockOptions.of(TTL);
  private static final String TOKEN = "0123456789abcdefghijkl";

  private final VirtualLocker v = new VirtualLocker();

  @Test
  void aTokenIs128RandomBitsIn22Characters() {
    Set<String> tokens = Stream.generate(Tokens::next).limit(10_000).collect(Collectors.toSet());

    assertThat(tokens).hasSize(10_000).allMatch(token -> token.matches("[A-Za-z0-9_-]{22}"));
  }

  @Test
  @DisplayName("G12: one subscription keeps its token over all its attempts")
  void oneSubscriptionKeepsItsToken() {
    v.store.next(ACQUIRE, ScriptedStore.fails(UNAVAILABLE, true), ScriptedStore.answerLost());
    Retry retry = Retry.fixedDelay(5, Duration.ofMillis(100));
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS.retry(retry)));
    v.pass(Duration.ofSeconds(1));

    assertThat(v.store.tokens()).hasSize(3).containsOnly(probe.value().token());
  }

  @Test
  @DisplayName("G12: every subscription has a token of its own")
  void everySubscriptionHasATokenOfItsOwn() {
    Mono<Lock> locks = v.locker.acquire("a", OPTIONS);
    v.get(v.get(locks).release());
    v.get(locks);

    assertThat(v.store.tokens()).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void noTextShowsTheWholeToken() {
    Lock lock = v.get(v.locker.acquire("a", OPTIONS.token(TOKEN)));

    assertThat(lock.token()).isEqualTo(TOKEN);
    assertThat(lock.toString()).doesNotContain(TOKEN).contains("0123...");
    assertThat(OPTIONS.token(TOKEN).toString()).doesNotContain(TOKEN);
  }

  @Nested
  class OfTheUsers {

    @Test
    void acquiringWithItAgainReenters() {
      v.get(v.locker.acquire("a", OPTIONS.token(TOKEN)));

      assertThat(v.get(v.locker.tryAcquire("a", OPTIONS.token(TOKEN))).isValid()).isTrue();
    }

    @Test
    void acquiringWithItTakesMoreKeys() {
      v.get(v.locker.acquire("a", OPTIONS.token(TOKEN)));

      Lock both = v.get(v.locker.tryAcquire(List.of("a", "b"), OPTIONS.token(TOKEN)));

      assertThat(v.get(both.ttl())).isEqualTo(TTL);
    }

    @Test
    void excludesAllOtherTokens() {
      v.get(v.locker.acquire("a", OPTIONS.token(TOKEN)));

      assertThat(v.run(v.locker.tryAcquire("a", OPTIONS)).end).isEqualTo(SignalType.ON_COMPLETE);
    }
  }

  @Nested
  class AttachedBy {

    private final LockOptions fenced = OPTIONS.fenced(true);

    @Test
    void goesOnWithALockOfAnotherProcess() {
      Lock first = v.get(v.another().acquire("a", OPTIONS));
      v.pass(Duration.ofSeconds(5));

      Lock attached = v.get(v.locker.attach(List.of("a"), first.token(), OPTIONS));

      assertThat(attached.token()).isEqualTo(first.token());
      assertThat(attached.remaining()).isEqualTo(Duration.ofMillis(10_000 - 102));
      assertThat(v.get(attached.ttl())).isEqualTo(TTL);
      assertThat(v.get(attached.release())).isTrue();
    }

    @Test
    void isEmptyUnlessEveryKeyIsOurs() {
      Lock first = v.get(v.another().acquire("a", OPTIONS));

      SignalProbe<Lock> probe = v.run(v.locker.attach(List.of("a", "b"), first.token(), OPTIONS));

      assertThat(probe.end).isEqualTo(SignalType.ON_COMPLETE);
      assertThat(probe.values).isEmpty();
      assertThat(v.store.count(ACQUIRE)).isZero();
    }

    @Test
    void isEmptyForALockThatEnded() {
      Lock first = v.get(v.another().acquire("a", OPTIONS));
      v.pass(TTL);

      assertThat(v.run(v.locker.attach(List.of("a"), first.token(), OPTIONS)).values).isEmpty();
    }

    @Test
    @DisplayName("G11: the fencing number stays that of the acquisition")
    void keepsItsFencingNumber() {
      Lock first = v.get(v.another().acquire("a", fenced));

      Lock attached = v.get(v.locker.attach(List.of("a"), first.token(), fenced));

      assertThat(attached.fencingToken()).isPresent().isEqualTo(first.fencingToken());
    }

    @Test
    void doesNotTakeALockAnewThatEndedMeanwhile() {
      Lock first = v.get(v.another().acquire("a", fenced));
      HeldBack held = HeldBack.call();
      v.store.next(ACQUIRE, held);
      SignalProbe<Lock> probe = v.run(v.locker.attach(List.of("a"), first.token(), fenced));
      v.get(first.release());
      held.letThrough();
      v.time.advanceTime();

      assertThat(probe.end).isEqualTo(SignalType.ON_COMPLETE);
      assertThat(probe.values).isEmpty();
      assertThat(v.get(v.another().tryAcquire("a", OPTIONS)).isValid()).isTrue();
    }

    @Test
    void leavesTheLockAloneWhenItIsCancelled() {
      Lock first = v.get(v.another().acquire("a", OPTIONS));
      HeldBack held = HeldBack.answer();
      v.store.next(EXTEND, held);
      v.run(v.locker.attach(List.of("a"), first.token(), OPTIONS)).cancel();
      held.letThrough();
      v.pass(Duration.ofSeconds(5));

      assertThat(v.store.count(RELEASE)).isZero();
      assertThat(v.run(v.memory.inspect("a")).values).hasSize(1);
    }

    @Test
    void isNotDeliveredPastItsDeadline() {
      LockOptions shortly = OPTIONS.ttl(Duration.ofSeconds(1));
      Lock first = v.get(v.another().acquire("a", shortly));
      HeldBack held = HeldBack.answer();
      v.store.next(EXTEND, held);
      SignalProbe<Lock> probe = v.run(v.locker.attach(List.of("a"), first.token(), shortly));
      v.pass(Duration.ofMillis(995));
      held.letThrough();
      v.time.advanceTime();

      assertThat(probe.values).isEmpty();
      assertThat(probe.error).isInstanceOf(LockStoreException.class);
    }

    @Test
    void endsWithTheTimeForACommand() {
      v.store.next(EXTEND, ScriptedStore.swallowed());
      SignalProbe<Lock> probe = v.run(v.locker.attach(List.of("a"), TOKEN, OPTIONS));
      v.pass(Duration.ofSeconds(2));

      assertThat(probe.error)
          .isInstanceOf(LockStoreException.class)
          .hasMessageContaining("attach to the lock on [a]");
    }

    @Test
    void isEmptyWhenTheTokenIsReleasedBeforeTheAnswerComes() {
      Lock first = v.get(v.locker.acquire("a", OPTIONS));
      ScriptedStore.HeldBack held = ScriptedStore.HeldBack.answer();
      v.store.next(EXTEND, held);
      SignalProbe<Lock> attached = v.run(v.locker.attach(List.of("a"), first.token(), OPTIONS));

      v.get(first.release());
      held.letThrough();
      v.pass(Duration.ZERO);

      assertThat(attached.values).isEmpty();
      assertThat(attached.isPending()).isFalse();
    }

    @Test
    void isEmptyWhenAnotherOneIsReleasedWhileTheAnswerIsOnItsWay() {
      String token = v.get(v.another().acquire("a", OPTIONS)).token();
      HeldBack answer = HeldBack.answer();
      v.store.next(ScriptedStore.StoreOperation.EXTEND, ScriptedStore.works(), answer);
      Lock first = v.get(v.locker.attach(List.of("a"), token, OPTIONS));
      SignalProbe<Lock> second = v.run(v.locker.attach(List.of("a"), token, OPTIONS));
      v.get(first.release());

      answer.letThrough();

      assertThat(second.values).isEmpty();
      assertThat(second.isPending()).isFalse();
    }

    @Test
    void endsWithAnotherOneThatIsReleasedBeforeItIsDelivered() {
      String token = v.get(v.another().acquire("a", OPTIONS)).token();
      SignalProbe<Lock> second = new SignalProbe<>();
      v.locker
          .attach(List.of("a"), token, OPTIONS)
          .flatMap(
              first -> {
                v.locker.attach(List.of("a"), token, OPTIONS).subscribe(second);
                return first.release();
              })
          .subscribe();
      v.pass(Duration.ofSeconds(1));

      assertThat(second.values).allMatch(lock -> !lock.isValid());
      assertThat(second.isPending()).isFalse();
      assertThat(v.run(v.locker.close()).isPending()).isFalse();
    }

    @Test
    void theEndOfAnotherHandleDoesNotReleaseTheTokenAgain() {
      Lock first = v.get(v.locker.acquire("a", OPTIONS));
      Lock attached = v.get(v.locker.attach(List.of("a"), first.token(), OPTIONS));
      v.get(attached.release());
      Lock again = v.get(v.locker.acquire("a", OPTIONS.token(first.token())));

      assertThat(v.get(first.release())).isFalse();

      assertThat(again.isValid()).isTrue();
      assertThat(v.isFree("a")).isFalse();
    }

    @Test
    void isRefreshedAndReleasedLikeAnyOther() {
      Lock first = v.get(v.another().acquire("a", OPTIONS));
      Lock attached = v.get(v.locker.attach(List.of("a"), first.token(), OPTIONS));
      SignalProbe<Object> kept = v.run(attached.keepAlive());
      v.pass(Duration.ofMinutes(1));

      assertThat(kept.isPending()).isTrue();
      assertThat(attached.isValid()).isTrue();
      v.run(v.locker.close());
      assertThat(v.run(v.memory.inspect("a")).values).isEmpty();
    }
  }
}
