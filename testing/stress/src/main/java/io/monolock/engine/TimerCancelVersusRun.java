// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A task is cancelled as its time comes. */
@JCStressTest
@Outcome(id = "never run", expect = ACCEPTABLE, desc = "The task was cancelled before it ran.")
@Outcome(
    id = "run once",
    expect = ACCEPTABLE,
    desc = "The task ran before it was cancelled, or while it was.")
@Outcome(id = "run twice", expect = FORBIDDEN, desc = "The task ran more than once.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "The task lies in a bucket, though its time is over.")
@State
public class TimerCancelVersusRun {

  private static final Duration ITS_TIME = Duration.ofMillis(150);

  private final HandTimer timer = new HandTimer();
  private final TimerWheel wheel = new TimerWheel(timer);
  private final AtomicInteger runs = new AtomicInteger();
  private final TimerWheel.Task task = wheel.after(ITS_TIME, runs::incrementAndGet);

  @Actor
  public void run() {
    timer.pass(ITS_TIME);
  }

  @Actor
  public void cancel() {
    task.cancel();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    timer.pass(ITS_TIME);
    if (wheel.size() > 0) {
      result.r1 = "left behind";
    } else {
      result.r1 =
          switch (runs.get()) {
            case 0 -> "never run";
            case 1 -> "run once";
            default -> "run twice";
          };
    }
  }
}
