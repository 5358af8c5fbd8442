// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;
import reactor.core.scheduler.Schedulers;

/**
 * Two threads give signals to one lane, whose scheduler runs it in the thread that schedules it.
 */
@JCStressTest
@Outcome(
    id = "in order",
    expect = ACCEPTABLE,
    desc = "All signals ran one after the other, in the order in which each thread gave them.")
@Outcome(
    id = "out of order",
    expect = FORBIDDEN,
    desc = "A signal overtook another one of its own thread.")
@Outcome(
    id = "not all",
    expect = FORBIDDEN,
    desc = "A signal is lost, or was run by two threads at once.")
@State
public class LanesOfTwoProducers {
  private static final int EACH = 3;
  private static final int OTHER = 100;

  private final Lanes lanes = new Lanes(Schedulers.immediate(), 1);
  private final int[] ran = new int[2 * EACH]; // by one thread at a time, if the lane is right
  private int count;

  private void give(int from) {
    for (int i = 0; i < EACH; i++) {
      int number = from + i;
      lanes.run(0, () -> runs(number));
    }
  }

  private void runs(int number) {
    int next = count;
    ran[next] = number;
    count = next + 1;
  }

  @Actor
  public void one() {
    give(0);
  }

  @Actor
  public void other() {
    give(OTHER);
  }

  @Arbiter
  public void judge(L_Result result) {
    if (count != 2 * EACH) {
      result.r1 = "not all";
    } else {
      result.r1 = isInOrder(0) && isInOrder(OTHER) ? "in order" : "out of order";
    }
  }

  private boolean isInOrder(int from) {
    return Arrays.equals(
        Arrays.stream(ran).filter(number -> number >= from && number < from + EACH).toArray(),
        IntStream.range(from, from + EACH).toArray());
  }
}
