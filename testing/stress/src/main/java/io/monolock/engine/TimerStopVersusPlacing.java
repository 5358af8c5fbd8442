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

/** A task is placed as the wheel stops ticking, because its buckets are empty. */
@JCStressTest
@Outcome(id = "run once", expect = ACCEPTABLE, desc = "The task runs at its time.")
@Outcome(id = "never run", expect = FORBIDDEN, desc = "The task waits for a tick that never comes.")
@Outcome(id = "run twice", expect = FORBIDDEN, desc = "The task runs more than once.")
@State
public class TimerStopVersusPlacing {

  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration ITS_TIME = Duration.ofMillis(250);

  private final HandTimer timer = new HandTimer();
  private final TimerWheel wheel = new TimerWheel(timer);
  private final AtomicInteger runs = new AtomicInteger();

  public TimerStopVersusPlacing() {
    wheel.after(ITS_TIME, runs::incrementAndGet).cancel();
  }

  @Actor
  public void tick() {
    timer.pass(TICK);
  }

  @Actor
  public void place() {
    TimerWheel.Task unused = wheel.after(ITS_TIME, runs::incrementAndGet);
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    timer.pass(ITS_TIME);
    timer.pass(TICK);
    result.r1 =
        switch (runs.get()) {
          case 0 -> "never run";
          case 1 -> "run once";
          default -> "run twice";
        };
  }
}
