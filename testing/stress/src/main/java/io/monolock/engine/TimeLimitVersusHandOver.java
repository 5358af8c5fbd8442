// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** The time of the first one in the line is over as the lock is handed over to it. */
@JCStressTest
@Outcome(id = "lock", expect = ACCEPTABLE, desc = "It has the lock, and no error.")
@Outcome(
    id = "error",
    expect = ACCEPTABLE,
    desc = "It was told that its time is over, and the lock is free.")
@Outcome(id = "neither", expect = FORBIDDEN, desc = "It was told nothing.")
@Outcome(id = "both", expect = FORBIDDEN, desc = "It was told more than one thing.")
@Outcome(
    id = "lock of nobody",
    expect = FORBIDDEN,
    desc = "It was given a lock that it does not hold.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "All are gone, but something of them is left.")
@State
public class TimeLimitVersusHandOver {

  private static final Duration LIMIT = Duration.ofMillis(20);

  private final StressLocker locker = new StressLocker();
  private final Ear<Lock> holder = locker.waiter();
  private final Ear<Lock> waiter = locker.waiterFor(LIMIT);

  @Actor
  public void passTime() {
    locker.timer.pass(LIMIT);
  }

  @Actor
  public void release() {
    StressLocker.release(holder);
  }

  @Arbiter
  public void judge(L_Result result) {
    locker.settle();
    result.r1 = outcome();
  }

  private String outcome() {
    if (waiter.heardNothing()) {
      return "neither";
    }
    if (waiter.heardOneError(LockNotAcquiredException.class)) {
      return locker.isLeftEmpty() ? "error" : "left behind";
    }
    if (!waiter.heardOneValue()) {
      return "both";
    }
    if (!locker.isServed(waiter)) {
      return "lock of nobody";
    }
    return locker.endsWith(waiter) ? "lock" : "left behind";
  }
}
