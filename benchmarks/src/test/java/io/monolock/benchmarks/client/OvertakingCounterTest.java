// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OvertakingCounterTest {

  private final OvertakingCounter counter = new OvertakingCounter(10);

  private int waiter() {
    int ticket = counter.arrive();
    counter.subscribed(ticket);
    return ticket;
  }

  @Test
  void noWaiterIsOvertakenWhenGrantsFollowTheOrderOfArrival() {
    int first = waiter();
    int second = waiter();
    counter.granted(first);
    int third = waiter();
    counter.granted(second);
    counter.granted(third);
    assertThat(counter.overtaken()).isZero();
  }

  @Test
  void aWaiterThatOvertakesTwoCountsTwice() {
    int first = waiter();
    int second = waiter();
    int third = waiter();
    counter.granted(third);
    counter.granted(first);
    counter.granted(second);
    assertThat(counter.overtaken()).isEqualTo(2);
  }

  @Test
  void aWaiterWithoutAGrantHasBeenOvertaken() {
    waiter();
    counter.granted(waiter());
    assertThat(counter.overtaken()).isEqualTo(1);
  }

  @Test
  void ofTwoWaitersThatArriveTogetherNoneIsOvertaken() {
    int first = counter.arrive();
    int second = counter.arrive();
    counter.subscribed(first);
    counter.subscribed(second);
    counter.granted(second);
    counter.granted(first);
    assertThat(counter.overtaken()).isZero();
  }
}
