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

/** User code asks for the token of a lock as its lease is passed on. */
@JCStressTest
@Outcome(
    id = "known, not passed on",
    expect = ACCEPTABLE,
    desc = "The token that user code knows is that of no later holder.")
@Outcome(
    id = "passed on, not known",
    expect = ACCEPTABLE,
    desc = "The lease was passed on, and user code got a token that was never in the store.")
@Outcome(
    id = "known and passed on",
    expect = FORBIDDEN,
    desc = "User code knows the token of the next holder.")
@Outcome(id = "not served", expect = FORBIDDEN, desc = "The next waiter does not get the lock.")
@Outcome(id = "left behind", expect = FORBIDDEN, desc = "A key, a line or a lease is left.")
@State
public class TokenVersusPassingOn {

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> holder = locker.waiter();
  private final RecordingSubscriber<Lock> next = locker.waiter();
  private final String before = locker.store.holder();
  private String known = "";

  @Actor
  public void ask() {
    known = holder.value().token();
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
    if (!next.gotOneValue()) {
      return "not served";
    }
    boolean passedOn = before.equals(locker.store.holder());
    if (passedOn && known.equals(before)) {
      return "known and passed on";
    }
    if (!locker.isServed(next)) {
      return "not served";
    }
    if (!locker.endsWith(next)) {
      return "left behind";
    }
    return passedOn ? "passed on, not known" : "known, not passed on";
  }
}
