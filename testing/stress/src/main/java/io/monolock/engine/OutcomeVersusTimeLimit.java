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

/** A release ends as the timeout of the only subscriber to its outcome is over. */
@JCStressTest
@Outcome(
    id = "outcome",
    expect = ACCEPTABLE,
    desc = "The subscriber gets the outcome, and nothing else.")
@Outcome(
    id = "error",
    expect = ACCEPTABLE,
    desc = "The subscriber gets the timeout error, and nothing else.")
@Outcome(id = "nothing", expect = FORBIDDEN, desc = "The subscriber gets nothing.")
@Outcome(id = "too much", expect = FORBIDDEN, desc = "The subscriber gets more than one outcome.")
@State
public class OutcomeVersusTimeLimit {

  private static final Duration LIMIT = Duration.ofMillis(20);

  private final StressLocker locker = new StressLocker();
  private final ReleaseOutcome outcome =
      new ReleaseOutcome(locker.context, IllegalStateException::new);
  private final RecordingSubscriber<Boolean> subscriber = new RecordingSubscriber<>();

  public OutcomeVersusTimeLimit() {
    outcome.within(LIMIT).subscribe(subscriber);
  }

  @Actor
  public void setOutcome() {
    outcome.set(true);
  }

  @Actor
  public void passTime() {
    locker.timer.pass(LIMIT);
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    locker.settle();
    if (subscriber.gotNothing()) {
      result.r1 = "nothing";
    } else if (subscriber.gotOneValue()) {
      result.r1 = "outcome";
    } else {
      result.r1 = subscriber.gotOneError(IllegalStateException.class) ? "error" : "too much";
    }
  }
}
