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

/** The first waiter cancels while the lock is handed over to it. */
@JCStressTest
@Outcome(
    id = "next",
    expect = ACCEPTABLE,
    desc = "The first waiter has cancelled, and the next one has the lock.")
@Outcome(
    id = "first and then next",
    expect = ACCEPTABLE,
    desc = "The first waiter got the lock before it cancelled, and the next one got it after that.")
@Outcome(
    id = "not served",
    expect = FORBIDDEN,
    desc = "A waiter is never served, though the lock was released.")
@Outcome(id = "both", expect = FORBIDDEN, desc = "Two waiters have the lock.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "All have ended, but a key, a line or a claim is left.")
@State
public class CancelVersusHandOver {

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> holder = locker.waiter();
  private final RecordingSubscriber<Lock> first = locker.waiter();
  private final RecordingSubscriber<Lock> next = locker.waiter();

  @Actor
  public void cancel() {
    first.cancel();
  }

  @Actor
  public void release() {
    StressLocker.release(holder);
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    result.r1 = locker.outcomeOfCancel(first, next);
  }
}
