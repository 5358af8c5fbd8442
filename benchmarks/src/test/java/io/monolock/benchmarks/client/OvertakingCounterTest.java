// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OvertakingCounterTest {

  private final OvertakingCounter turnstile = new OvertakingCounter(10);

  private int waiter() {
    int ticket = turnstile.comes();
    turnstile.waits(ticket);
    return ticket;
  }

  @Test
  void nobodyIsOvertakenWhenAllGoInTheOrderInWhichTheyCame() {
    int first = waiter();
    int second = waiter();
    turnstile.goes(first);
    int third = waiter();
    turnstile.goes(second);
    turnstile.goes(third);
    assertThat(turnstile.overtaken()).isZero();
  }

  @Test
  void whoPassesTwoCountsTwice() {
    int first = waiter();
    int second = waiter();
    int third = waiter();
    turnstile.goes(third);
    turnstile.goes(first);
    turnstile.goes(second);
    assertThat(turnstile.overtaken()).isEqualTo(2);
  }

  @Test
  void whoStillWaitsHasBeenOvertaken() {
    waiter();
    turnstile.goes(waiter());
    assertThat(turnstile.overtaken()).isEqualTo(1);
  }

  @Test
  void ofTwoWhoComeAtTheSameTimeNoneIsOvertaken() {
    int first = turnstile.comes();
    int second = turnstile.comes();
    turnstile.waits(first);
    turnstile.waits(second);
    turnstile.goes(second);
    turnstile.goes(first);
    assertThat(turnstile.overtaken()).isZero();
  }
}
