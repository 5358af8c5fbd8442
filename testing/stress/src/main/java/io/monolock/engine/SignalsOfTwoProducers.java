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

/** Two threads give signals to a scheduler that is full, and then has room while they do. */
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
public class SignalsOfTwoProducers {

  private static final Duration SOON = Duration.ofMillis(200);

  private final HandTimer timer = new HandTimer();
  private final HandTimer users = new HandTimer();
  private final TwoProducers producers = new TwoProducers(timer, users);

  public SignalsOfTwoProducers() {
    users.full(true);
  }

  @Actor
  public void oneAndRoom() {
    producers.one();
    users.full(false);
    timer.pass(SOON);
  }

  @Actor
  public void other() {
    producers.other();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    timer.pass(SOON);
    users.pass(Duration.ZERO);
    result.r1 = producers.outcome();
  }
}
