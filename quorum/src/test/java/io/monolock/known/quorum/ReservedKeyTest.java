// SPDX-License-Identifier: Apache-2.0
package io.monolock.known.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreProblem;
import io.monolock.test.RedisMasters;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The key where a member keeps since when it has forgotten nothing is no key for a lock. */
class ReservedKeyTest extends OnQuorum {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofSeconds(5));

  ReservedKeyTest(RedisMasters masters) {
    super(masters);
  }

  @Test
  @Tag("known")
  @Tag("Reserved")
  void theKeyOfTheMembersIsRefused() {
    ReactiveLocker locker = locker();
    get(locker.acquire("order:1", OPTIONS).flatMap(Lock::release));

    Throwable refusal = catchThrowable(() -> get(locker.tryAcquire("monolock:beginning", OPTIONS)));

    assertThat(refusal)
        .as("refusal of monolock:beginning")
        .isNotNull()
        .satisfiesAnyOf(
            e -> assertThat(e).isInstanceOf(IllegalArgumentException.class),
            e ->
                assertThat(e)
                    .isInstanceOfSatisfying(
                        LockStoreException.class,
                        misuse ->
                            assertThat(misuse.reason()).isEqualTo(StoreProblem.Reason.MISUSE)));
    assertThat(get(locker.acquire("order:1", OPTIONS).flatMap(Lock::release))).isTrue();
  }
}
