// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.engine.ScriptedStore.HeldBack;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Several acquisitions of one locker with one token of the user's. */
class UserTokenTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).token("job-42-0123456789abcde");

  private final VirtualLocker v = new VirtualLocker();

  @Test
  void lateAnswerToACancelledAcquisitionDoesNotFreeWhatTheRetryHolds() {
    HeldBack answer = HeldBack.answer();
    v.store.next(ACQUIRE, answer);
    v.run(v.locker.acquire("a", OPTIONS)).cancel();
    Lock retried = v.get(v.locker.acquire("a", OPTIONS));

    answer.letThrough();
    v.pass(Duration.ofSeconds(1));
    assertThat(retried.isValid()).isTrue();
    assertThat(v.isFree("a")).as("free in the store").isFalse();
    assertThat(v.run(v.another().tryAcquire("a", OPTIONS.token("x".repeat(22)))).values).isEmpty();
  }
}
