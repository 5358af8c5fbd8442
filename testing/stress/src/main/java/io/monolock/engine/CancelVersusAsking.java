// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.monolock.Lock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A caller cancels while its attempt is on the way from the line to the store. */
@JCStressTest
@Outcome(id = "given up", expect = ACCEPTABLE, desc = "The caller got nothing, nothing is left.")
@Outcome(
    id = "served",
    expect = ACCEPTABLE,
    desc = "The caller had the lock before it cancelled, and nothing is left once it has released.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "The lock, the line or the lease is left, or the locker cannot be closed.")
@State
public class CancelVersusAsking {

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> caller = new RecordingSubscriber<>();

  @Actor
  public void ask() {
    locker.waits(caller);
  }

  @Actor
  public void cancel() {
    caller.cancel();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    locker.settle();
    boolean isServed = !caller.gotNothing();
    boolean isLeftEmpty = isServed ? locker.endsWith(caller) : locker.isLeftEmpty();
    if (isLeftEmpty) {
      result.r1 = isServed ? "served" : "given up";
    } else {
      result.r1 = "left behind";
    }
  }
}
