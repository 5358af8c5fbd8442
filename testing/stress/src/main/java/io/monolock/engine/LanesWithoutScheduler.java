// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Two threads give signals to a lane that has to run them there, as its scheduler is disposed. */
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
@Outcome(
    id = "stack overflow",
    expect = FORBIDDEN,
    desc = "The lane calls itself for a signal that is not there.")
@State
public class LanesWithoutScheduler {

  private final HandTimer scheduler = new HandTimer();
  private final TwoProducers producers = new TwoProducers(scheduler);
  private volatile boolean overflown;

  public LanesWithoutScheduler() {
    scheduler.dispose();
  }

  @Actor
  public void one() {
    run(producers::one);
  }

  @Actor
  public void other() {
    run(producers::other);
  }

  private void run(Runnable producer) {
    try {
      producer.run();
    } catch (StackOverflowError e) {
      overflown = true;
    }
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    result.r1 = overflown ? "stack overflow" : producers.outcome();
  }
}
