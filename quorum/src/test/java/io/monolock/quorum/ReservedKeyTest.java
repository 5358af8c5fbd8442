// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisMasters;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The key where a member keeps since when it has forgotten nothing is no key for a lock. */
class ReservedKeyTest extends OnQuorum {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofSeconds(5));

  ReservedKeyTest(RedisMasters masters) {
    super(masters);
  }

  @Test
  void theKeyOfTheMembersIsRefused() {
    ReactiveLocker locker = locker();
    get(locker.acquire("order:1", OPTIONS).flatMap(Lock::release));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> locker.tryAcquire("monolock:beginning", OPTIONS))
        .withMessage("a key must not be monolock:beginning, which is in use");

    assertThat(get(locker.acquire("order:1", OPTIONS).flatMap(Lock::release))).isTrue();
  }
}
