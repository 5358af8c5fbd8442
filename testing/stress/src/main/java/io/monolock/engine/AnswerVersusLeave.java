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

/** The first waiter leaves as the attempt that was made for it is granted. */
@JCStressTest
@Outcome(
    id = "next",
    expect = ACCEPTABLE,
    desc = "The grant serves the next waiter, and nothing is left.")
@Outcome(
    id = "first",
    expect = ACCEPTABLE,
    desc = "The first waiter got the lock before it left, and then the next one.")
@Outcome(id = "not served", expect = FORBIDDEN, desc = "The next waiter does not get the lock.")
@Outcome(id = "left behind", expect = FORBIDDEN, desc = "A key, a line or a lease is left.")
@State
public class AnswerVersusLeave {

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> first;
  private final RecordingSubscriber<Lock> next;
  private final Runnable granted;

  public AnswerVersusLeave() {
    locker.store.holdAnswers();
    first = locker.waiter();
    next = locker.waiter();
    granted = locker.store.nextHeldBack();
    locker.store.holdNothing();
  }

  @Actor
  public void leave() {
    first.cancel();
  }

  @Actor
  public void answer() {
    granted.run();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    locker.settle();
    boolean isFirst = !first.gotNothing();
    if (isFirst) {
      StressLocker.release(first);
      locker.settle();
    }
    if (!locker.isServed(next)) {
      result.r1 = "not served";
    } else if (!locker.endsWith(next)) {
      result.r1 = "left behind";
    } else {
      result.r1 = isFirst ? "first" : "next";
    }
  }
}
