// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/** Which seats were sold, and how often. Many threads may write it at once. */
final class Ledger {

  private final AtomicIntegerArray salesOfSeat;
  private final AtomicInteger sold = new AtomicInteger();
  private final AtomicInteger soldTwice = new AtomicInteger();
  private final AtomicLong lastToken = new AtomicLong(Long.MIN_VALUE);
  private final AtomicInteger tokensInOrder = new AtomicInteger();

  Ledger(int seats) {
    salesOfSeat = new AtomicIntegerArray(seats);
  }

  /** Notes the sale of a seat, numbered from 1. */
  void sold(int seat) {
    sold.incrementAndGet();
    if (salesOfSeat.getAndIncrement(seat - 1) > 0) {
      soldTwice.incrementAndGet();
    }
  }

  /** Notes the sale of a seat under a lock that has this fencing token. */
  void sold(int seat, long fencingToken) {
    if (fencingToken > lastToken.getAndSet(fencingToken)) {
      tokensInOrder.incrementAndGet();
    }
    sold(seat);
  }

  /** How many seats were sold, each counted as often as it was sold. */
  int seatsSold() {
    return sold.get();
  }

  /** How many of these sales were of a seat that had been sold before. */
  int soldTwice() {
    return soldTwice.get();
  }

  /** Whether every sale had a fencing token higher than that of the sale before. */
  boolean fencingTokensIncrease() {
    return tokensInOrder.get() == sold.get();
  }
}
