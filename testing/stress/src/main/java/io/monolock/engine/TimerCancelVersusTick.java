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

/** A task is cancelled as a tick hands it to the exact timer, before its time. */
@JCStressTest
@Outcome(id = "never run", expect = ACCEPTABLE, desc = "The task never runs, and lies nowhere.")
@Outcome(
    id = "run",
    expect = FORBIDDEN,
    desc = "The task runs, though it was cancelled before its time.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "The task lies in a bucket, though it was cancelled.")
@State
public class TimerCancelVersusTick {

  private static final Duration ITS_TIME = Duration.ofMillis(150);
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration AFTER_ITS_TIME = Duration.ofMillis(100);

  private final HandTimer timer = new HandTimer();
  private final TimerWheel wheel = new TimerWheel(timer);
  private final AtomicInteger runs = new AtomicInteger();
  private final TimerWheel.Task task = wheel.after(ITS_TIME, runs::incrementAndGet);

  @Actor
  public void tick() {
    timer.pass(TICK);
  }

  @Actor
  public void cancel() {
    task.cancel();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    int left = wheel.size();
    timer.pass(AFTER_ITS_TIME);
    if (runs.get() > 0) {
      result.r1 = "run";
    } else {
      result.r1 = left > 0 ? "left behind" : "never run";
    }
  }
}
