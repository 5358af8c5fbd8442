// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;

/** Calls that the store leaves without an answer, while the locker is closed. */
class CallsAtCloseTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(5));

  private final VirtualLocker v = new VirtualLocker();

  private Lock held() {
    return v.get(v.locker.acquire("a", OPTIONS));
  }

  /** Long after the time for a command and that for closing. */
  private void assertEndsWhenTheLockerCloses(StoreOperation unanswered, Publisher<?> call) {
    v.store.always(unanswered, ScriptedStore.swallowed());
    SignalProbe<?> pending = v.run(call);
    SignalProbe<Void> closing = v.run(v.locker.close());
    v.pass(Duration.ofMinutes(1));

    assertThat(closing.end).as("end of close()").isNotNull();
    assertThat(pending.end).as("end of the call").isNotNull();
  }

  @Test
  void inspectEnds() {
    assertEndsWhenTheLockerCloses(StoreOperation.INSPECT, v.locker.inspect("a"));
  }

  @Test
  void forceReleaseEnds() {
    assertEndsWhenTheLockerCloses(StoreOperation.FORCE_RELEASE, v.locker.forceRelease("a"));
  }

  @Test
  void ttlEnds() {
    assertEndsWhenTheLockerCloses(StoreOperation.REMAINING, held().ttl());
  }

  @Test
  void extendEnds() {
    assertEndsWhenTheLockerCloses(StoreOperation.EXTEND, held().extend(Duration.ofSeconds(9)));
  }

  @Test
  void attachEnds() {
    assertEndsWhenTheLockerCloses(
        StoreOperation.EXTEND, v.locker.attach(List.of("a"), "x".repeat(22), OPTIONS));
  }

  @Test
  void releaseOfALostLockEnds() {
    Lock lost = held();
    v.pass(OPTIONS.ttl().plusSeconds(1));
    assertEndsWhenTheLockerCloses(StoreOperation.RELEASE, lost.release());
  }
}
