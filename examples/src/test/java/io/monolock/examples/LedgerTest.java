// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LedgerTest {

  private final Ledger ledger = new Ledger(3);

  @Test
  void everySaleOfATakenSeatCounts() {
    ledger.sold(3);
    ledger.sold(2);
    ledger.sold(3);
    ledger.sold(3);

    assertThat(ledger.seatsSold()).isEqualTo(4);
    assertThat(ledger.soldTwice()).isEqualTo(2);
  }

  @Test
  void nothingIsSoldTwiceWhenEverySeatIsSoldOnce() {
    ledger.sold(1);
    ledger.sold(2);
    ledger.sold(3);

    assertThat(ledger.seatsSold()).isEqualTo(3);
    assertThat(ledger.soldTwice()).isZero();
  }

  @Test
  void countsSalesOfManyThreads() {
    IntStream.range(0, 3_000).parallel().forEach(i -> ledger.sold(1 + i % 3));

    assertThat(ledger.seatsSold()).isEqualTo(3_000);
    assertThat(ledger.soldTwice()).isEqualTo(2_997);
  }

  @Test
  void fencingTokensMayLeaveGaps() {
    ledger.sold(3, 7);
    ledger.sold(2, 8);
    ledger.sold(1, 4_711);

    assertThat(ledger.fencingTokensIncrease()).isTrue();
  }

  @Test
  void oneRepeatedFencingTokenIsNoIncrease() {
    ledger.sold(3, 7);
    ledger.sold(2, 7);
    ledger.sold(1, 8);

    assertThat(ledger.fencingTokensIncrease()).isFalse();
  }

  @Test
  void oneFencingTokenThatFallsIsNoIncrease() {
    ledger.sold(3, 7);
    ledger.sold(2, 6);
    ledger.sold(1, 8);

    assertThat(ledger.fencingTokensIncrease()).isFalse();
  }

  @Test
  void aSaleWithoutFencingTokenIsNoIncrease() {
    ledger.sold(3, 7);
    ledger.sold(2);

    assertThat(ledger.fencingTokensIncrease()).isFalse();
  }
}
