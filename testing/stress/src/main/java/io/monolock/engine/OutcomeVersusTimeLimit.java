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

/** A release ends as the time is over that somebody waits for its end. */
@JCStressTest
@Outcome(id = "outcome", expect = ACCEPTABLE, desc = "The outcome is told, and nothing else.")
@Outcome(id = "error", expect = ACCEPTABLE, desc = "The end of the time is told, and nothing else.")
@Outcome(id = "nothing", expect = FORBIDDEN, desc = "Nothing is told.")
@Outcome(id = "too much", expect = FORBIDDEN, desc = "More than one thing is told.")
@State
public class OutcomeVersusTimeLimit {

  private static final Duration LIMIT = Duration.ofMillis(20);

  private final StressLocker locker = new StressLocker();
  private final ReleaseOutcome outcome =
      new ReleaseOutcome(locker.runtime, StressLocker.KEYS, IllegalStateException::new);
  private final Ear<Boolean> ear = new Ear<>();

  public OutcomeVersusTimeLimit() {
    outcome.within(LIMIT).subscribe(ear);
  }

  @Actor
  public void tell() {
    outcome.is(true);
  }

  @Actor
  public void passTime() {
    locker.timer.pass(LIMIT);
  }

  @Arbiter
  public void judge(L_Result result) {
    locker.settle();
    if (ear.heardNothing()) {
      result.r1 = "nothing";
    } else if (ear.heardOneValue()) {
      result.r1 = "outcome";
    } else {
      result.r1 = ear.heardOneError(IllegalStateException.class) ? "error" : "too much";
    }
  }
}
