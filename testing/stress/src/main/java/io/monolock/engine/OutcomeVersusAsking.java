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

/** A release ends as somebody asks for its outcome. */
@JCStressTest
@Outcome(id = "outcome", expect = ACCEPTABLE, desc = "The outcome is told, and nothing else.")
@Outcome(
    id = "not the outcome",
    expect = FORBIDDEN,
    desc = "Nothing is told in time, or the wrong thing.")
@State
public class OutcomeVersusAsking {

  private static final Duration LIMIT = Duration.ofMillis(20);

  private final StressLocker locker = new StressLocker();
  private final ReleaseOutcome outcome =
      new ReleaseOutcome(locker.runtime, StressLocker.KEYS, IllegalStateException::new);
  private final Ear<Boolean> ear = new Ear<>();

  @Actor
  public void tell() {
    outcome.is(true);
  }

  @Actor
  public void ask() {
    outcome.within(LIMIT).subscribe(ear);
  }

  @Arbiter
  public void judge(L_Result result) {
    locker.settle();
    result.r1 = ear.heardOneValue() ? "outcome" : "not the outcome";
  }
}
