// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A thread gives signals to a lane while the lane runs those of another thread. */
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

  private final HandTimer scheduler = new HandTimer();
  private final TwoProducers producers = new TwoProducers(scheduler);

  @Actor
  public void oneAndTheLane() {
    producers.one();
    scheduler.pass(Duration.ZERO);
  }

  @Actor
  public void other() {
    producers.other();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    scheduler.pass(Duration.ZERO);
    result.r1 = producers.outcome();
  }
}
