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

/** A release ends as the only one who waits for its end cancels. */
@JCStressTest
@Outcome(
    id = "outcome",
    expect = ACCEPTABLE,
    desc = "The outcome was told before the other one was gone.")
@Outcome(id = "nothing", expect = ACCEPTABLE, desc = "Nothing is told to the one who has gone.")
@Outcome(id = "too much", expect = FORBIDDEN, desc = "Something else is told than the outcome.")
@State
public class OutcomeVersusCancel {

  private static final Duration LIMIT = Duration.ofMillis(20);

  private final StressLocker locker = new StressLocker();
  private final ReleaseOutcome outcome =
      new ReleaseOutcome(locker.runtime, StressLocker.KEYS, IllegalStateException::new);
  private final Ear<Boolean> ear = new Ear<>();

  public OutcomeVersusCancel() {
    outcome.within(LIMIT).subscribe(ear);
  }

  @Actor
  public void tell() {
    outcome.is(true);
  }

  @Actor
  public void cancel() {
    ear.cancel();
  }

  @Arbiter
  public void judge(L_Result result) {
    locker.settle();
    if (ear.heardNothing()) {
      result.r1 = "nothing";
    } else {
      result.r1 = ear.heardOneValue() ? "outcome" : "too much";
    }
  }
}
