// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.monolock.Lock;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A waiter joins as the turn of this locker is over and it frees the keys for a step back. */
@JCStressTest
@Outcome(
    id = "served",
    expect = ACCEPTABLE,
    desc = "Both waiters get the lock, in the end, and nothing is left.")
@Outcome(id = "not served", expect = FORBIDDEN, desc = "A waiter does not get the lock.")
@Outcome(id = "left behind", expect = FORBIDDEN, desc = "A key, a line or a lease is left.")
@State
public class JoinVersusStepBack {

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> holder = locker.waiter();
  private final RecordingSubscriber<Lock> first = locker.waiter();
  private RecordingSubscriber<Lock> newcomer = new RecordingSubscriber<>();

  public JoinVersusStepBack() {
    locker.timer.pass(Duration.ofMillis(150));
  }

  @Actor
  public void release() {
    StressLocker.release(holder);
  }

  @Actor
  public void join() {
    newcomer = locker.waiter();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    locker.settle();
    if (!locker.isServed(first)) {
      result.r1 = "not served";
      return;
    }
    StressLocker.release(first);
    locker.settle();
    if (!locker.isServed(newcomer)) {
      result.r1 = "not served";
    } else {
      result.r1 = locker.endsWith(newcomer) ? "served" : "left behind";
    }
  }
}
