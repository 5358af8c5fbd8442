// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.Arrays;
import java.util.stream.IntStream;
import reactor.core.scheduler.Scheduler;

/** Two threads that give signals, and what has run, which must be kept apart and in order. */
final class TwoProducers {

  private static final int EACH = 3;
  private static final int OTHER = 100;

  private final SignalExecutor executor;
  private final int[] ran = new int[2 * EACH];
  private int count;

  TwoProducers(Scheduler timer, Scheduler users) {
    executor = new SignalExecutor(timer, users);
  }

  void one() {
    give(0);
  }

  void other() {
    give(OTHER);
  }

  private void give(int from) {
    for (int i = 0; i < EACH; i++) {
      int number = from + i;
      executor.run(() -> runs(number));
    }
  }

  private void runs(int number) {
    int next = count;
    ran[next] = number;
    count = next + 1;
  }

  String outcome() {
    if (count != 2 * EACH) {
      return "not all";
    }
    return isInOrder(0) && isInOrder(OTHER) ? "in order" : "out of order";
  }

  private boolean isInOrder(int from) {
    return Arrays.equals(
        Arrays.stream(ran).filter(number -> number >= from && number < from + EACH).toArray(),
        IntStream.range(from, from + EACH).toArray());
  }
}
