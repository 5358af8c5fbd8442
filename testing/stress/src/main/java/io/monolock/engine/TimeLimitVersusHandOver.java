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

/** The waiting time of the first waiter is over as the lock is handed over to it. */
@JCStressTest
@Outcome(id = "lock", expect = ACCEPTABLE, desc = "It has the lock, and no error.")
@Outcome(
    id = "error",
    expect = ACCEPTABLE,
    desc = "It got the error of the end of waiting, and the lock is free.")
@Outcome(id = "neither", expect = FORBIDDEN, desc = "It got no signal.")
@Outcome(id = "both", expect = FORBIDDEN, desc = "It got more than one outcome.")
@Outcome(id = "not held", expect = FORBIDDEN, desc = "It was given a lock that it does not hold.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "All have ended, but a key, a line or a claim is left.")
@State
public class TimeLimitVersusHandOver {

  private static final Duration LIMIT = Duration.ofMillis(20);

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> holder = locker.waiter();
  private final RecordingSubscriber<Lock> waiter = locker.waiterFor(LIMIT);

  @Actor
  public void passTime() {
    locker.timer.pass(LIMIT);
  }

  @Actor
  public void release() {
    StressLocker.release(holder);
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    locker.settle();
    result.r1 = outcome();
  }

  private String outcome() {
    if (waiter.gotNothing()) {
      return "neither";
    }
    if (waiter.gotOneError(LockNotAcquiredException.class)) {
      return locker.isLeftEmpty() ? "error" : "left behind";
    }
    if (!waiter.gotOneValue()) {
      return "both";
    }
    if (!locker.isServed(waiter)) {
      return "not held";
    }
    return locker.endsWith(waiter) ? "lock" : "left behind";
  }
}
