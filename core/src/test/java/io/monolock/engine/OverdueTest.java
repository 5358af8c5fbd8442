// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.DelegatingLockStore;
import io.monolock.store.Grant;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The store gets a report when a call had no answer in time (B101). */
class OverdueTest {

  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private final VirtualLocker v = new VirtualLocker(builder -> builder.commandTimeout(LIMIT));

  @Test
  @DisplayName("B101: an acquisition without an answer is reported to the store")
  void unansweredAcquisition() {
    v.store.next(StoreOperation.ACQUIRE, ScriptedStore.swallowed());
    v.run(v.locker.tryAcquire("a", TTL));

    v.pass(Duration.ofMillis(999));
    assertThat(v.store.overdue()).isEmpty();
    v.pass(Duration.ofMillis(1));
    assertThat(v.store.overdue()).containsExactly(LIMIT);
  }

  @Test
  void aCallThatTheStoreEndsWhenItIsReportedEndsInTheWayOfTheStore() {
    Sinks.One<Grant> answer = Sinks.one();
    LockStore unavailable =
        new DelegatingLockStore(InMemoryLockStore.create()) {
          @Override
          public Mono<Grant> acquire(
              LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
            return answer.asMono();
          }

          @Override
          public void overdue(Duration timeout) {
            answer.tryEmitError(new StoreFailure(Reason.UNAVAILABLE, true, "by test", null));
          }
        };

    SignalProbe<Lock> probe = v.run(locker(unavailable).tryAcquire("a", TTL));
    v.pass(LIMIT);

    assertThat(probe.error(LockStoreException.class).reason()).isEqualTo(Reason.UNAVAILABLE);
  }

  @Test
  void aStoreThatThrowsWhenACallIsReportedDoesNotKeepTheCallFromEnding() {
    LockStore throwing =
        new DelegatingLockStore(InMemoryLockStore.create()) {
          @Override
          public Mono<Grant> acquire(
              LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
            return Mono.never();
          }

          @Override
          public void overdue(Duration timeout) {
            throw new IllegalStateException("by test");
          }
        };

    SignalProbe<Lock> probe = v.run(locker(throwing).tryAcquire("a", TTL));
    v.pass(LIMIT);

    assertThat(probe.error(LockStoreException.class).reason()).isEqualTo(Reason.UNKNOWN_OUTCOME);
  }

  private ReactiveLocker locker(LockStore store) {
    return ReactiveLocker.builder(store)
        .timer(v.time)
        .publishOn(v.time)
        .commandTimeout(LIMIT)
        .build();
  }

  @Test
  void unansweredRelease() {
    v.store.always(StoreOperation.RELEASE, ScriptedStore.swallowed());
    v.run(v.locker.acquire("a", TTL).flatMap(Lock::release));

    v.pass(LIMIT);

    assertThat(v.store.overdue()).isNotEmpty();
  }

  @Test
  void unansweredRefresh() {
    v.store.always(StoreOperation.EXTEND, ScriptedStore.swallowed());
    v.run(v.locker.acquire("a", TTL).flatMap(Lock::keepAlive));

    v.pass(TTL.dividedBy(3).plus(LIMIT));

    assertThat(v.store.overdue()).isNotEmpty();
  }

  @Test
  void unansweredRead() {
    v.store.next(StoreOperation.INSPECT, ScriptedStore.swallowed());
    v.run(v.locker.inspect("a"));

    v.pass(LIMIT);

    assertThat(v.store.overdue()).containsExactly(LIMIT);
  }

  @Test
  void answersInTimeAreNotReported() {
    v.run(v.locker.withLock("a", TTL, lock -> v.locker.inspect("a")));

    v.pass(TTL);

    assertThat(v.store.overdue()).isEmpty();
  }

  @Test
  void theCommandTimeoutIsReportedAlsoWhenTheTtlIsShorter() {
    v.store.next(StoreOperation.ACQUIRE, ScriptedStore.swallowed());
    v.run(v.locker.tryAcquire("a", Duration.ofMillis(20)));

    v.pass(Duration.ofMillis(20));

    assertThat(v.store.overdue()).containsExactly(LIMIT);
  }
}
