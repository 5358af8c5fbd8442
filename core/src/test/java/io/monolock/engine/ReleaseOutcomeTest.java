// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.DelegatingLockStore;
import io.monolock.store.Grant;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A store whose transfer is a release that works and an acquisition that does not. */
class ReleaseOutcomeTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final FailingStore store = new FailingStore();
  private final RecordingObserver observed = new RecordingObserver();
  private final ReactiveLocker locker =
      ReactiveLocker.builder(store).timer(time).publishOn(time).observer(observed).build();

  private <T> SignalProbe<T> run(Mono<T> mono) {
    SignalProbe<T> probe = new SignalProbe<>();
    mono.subscribe(probe);
    time.advanceTime();
    return probe;
  }

  /** The next one has another ttl, so that the keys go to it by a command. */
  private void assertReleaseSaysTrue(StoreProblem.Reason reason) {
    Lock lock = run(locker.acquire("a", OPTIONS)).value();
    run(locker.acquire("a", OPTIONS.ttl(Duration.ofSeconds(20))));
    store.reason = reason;
    SignalProbe<Boolean> release = run(lock.release());
    time.advanceTimeBy(Duration.ofMillis(1));

    assertThat(release.value()).as("answer of release").isTrue();
    assertThat(observed.events).contains("released [a] wasOurs=true");
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"TIMEOUT", "UNKNOWN_OUTCOME", "NOT_REPLICATED"})
  void releaseOfAHeldLockIsTrueThoughTheNextAcquisitionIsRefused(StoreProblem.Reason reason) {
    assertReleaseSaysTrue(reason);
  }

  @ParameterizedTest
  @EnumSource(names = {"TIMEOUT", "UNKNOWN_OUTCOME", "NOT_REPLICATED"})
  void releaseOfAHeldLockIsTrueThoughTheNextAcquisitionIsInDoubt(StoreProblem.Reason reason) {
    assertReleaseSaysTrue(reason);
  }

  /** Acquires as long as there is no reason not to. */
  private final class FailingStore extends DelegatingLockStore {
    private StoreProblem.Reason reason;

    FailingStore() {
      super(InMemoryLockStore.create(time));
    }

    @Override
    public Mono<Grant> acquire(
        LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
      return Mono.defer(
          () ->
              reason == null
                  ? store.acquire(keys, token, metadata, ttl, fenced)
                  : Mono.error(new StoreFailure(reason, true, reason + " by test", null)));
    }
  }
}
