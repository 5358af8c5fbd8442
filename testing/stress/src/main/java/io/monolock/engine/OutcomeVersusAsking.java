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

/** A release ends as a caller subscribes to its outcome. */
@JCStressTest
@Outcome(
    id = "outcome",
    expect = ACCEPTABLE,
    desc = "The subscriber gets the outcome, and nothing else.")
@Outcome(
    id = "not the outcome",
    expect = FORBIDDEN,
    desc = "The subscriber gets no outcome in time, or a wrong one.")
@State
public class OutcomeVersusAsking {

  private static final Duration LIMIT = Duration.ofMillis(20);

  private final StressLocker locker = new StressLocker();
  private final ReleaseOutcome outcome =
      new ReleaseOutcome(locker.context, IllegalStateException::new);
  private final RecordingSubscriber<Boolean> subscriber = new RecordingSubscriber<>();

  @Actor
  public void setOutcome() {
    outcome.set(true);
  }

  @Actor
  public void ask() {
    outcome.within(LIMIT).subscribe(subscriber);
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    locker.settle();
    result.r1 = subscriber.gotOneValue() ? "outcome" : "not the outcome";
  }
}
