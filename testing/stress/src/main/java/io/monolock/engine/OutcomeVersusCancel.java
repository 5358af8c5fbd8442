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

/** A release ends as the only subscriber to its outcome cancels. */
@JCStressTest
@Outcome(
    id = "outcome",
    expect = ACCEPTABLE,
    desc = "The subscriber got the outcome before it had cancelled.")
@Outcome(
    id = "nothing",
    expect = ACCEPTABLE,
    desc = "The subscriber got nothing, as it had cancelled.")
@Outcome(id = "too much", expect = FORBIDDEN, desc = "The subscriber got anything but the outcome.")
@State
public class OutcomeVersusCancel {

  private static final Duration LIMIT = Duration.ofMillis(20);

  private final StressLocker locker = new StressLocker();
  private final ReleaseOutcome outcome =
      new ReleaseOutcome(locker.context, IllegalStateException::new);
  private final RecordingSubscriber<Boolean> subscriber = new RecordingSubscriber<>();

  public OutcomeVersusCancel() {
    outcome.within(LIMIT).subscribe(subscriber);
  }

  @Actor
  public void setOutcome() {
    outcome.set(true);
  }

  @Actor
  public void cancel() {
    subscriber.cancel();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    locker.settle();
    if (subscriber.gotNothing()) {
      result.r1 = "nothing";
    } else {
      result.r1 = subscriber.gotOneValue() ? "outcome" : "too much";
    }
  }
}
