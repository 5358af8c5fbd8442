// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SalePlanTest {

  private static final Duration TTL = Duration.ofSeconds(2);
  private static final Duration HOLD = Duration.ofMillis(1);

  @Test
  void asksForAFencedLockWithItsTtl() {
    SalePlan plan = new SalePlan(500, 4, 32, TTL, HOLD);

    assertThat(plan.lockOptions().ttl()).isEqualTo(TTL);
    assertThat(plan.lockOptions().fenced()).isTrue();
  }

  @Test
  void waitsForEverySaleBeforeItsOwn() {
    SalePlan slow = new SalePlan(500, 4, 32, TTL, Duration.ofSeconds(1));

    assertThat(slow.lockOptions().waitAtMost()).isGreaterThan(Duration.ofSeconds(500));
    assertThat(slow.longestRun()).isGreaterThan(slow.longestSale());
  }

  @Test
  void refusesNumbersThatMakeNoShow() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SalePlan(0, 4, 32, TTL, HOLD))
        .withMessage("seats must be between 1 and 100000, was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SalePlan(500, 101, 32, TTL, HOLD))
        .withMessage("instances must be between 1 and 100, was 101");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SalePlan(500, 4, -1, TTL, HOLD))
        .withMessage("buyers must be between 1 and 10000, was -1");
  }

  @Test
  void refusesTimesThatMakeNoShow() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SalePlan(500, 4, 32, Duration.ofMillis(9), HOLD))
        .withMessageStartingWith("ttl must be between");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SalePlan(500, 4, 32, TTL, Duration.ofMillis(-1)))
        .withMessage("hold must be between 0 and 1 minute, was PT-0.001S");
  }
}
