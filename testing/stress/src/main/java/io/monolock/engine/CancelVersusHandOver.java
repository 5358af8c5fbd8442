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

/** The first one in the line cancels while the lock is handed over to it. */
@JCStressTest
@Outcome(
    id = "next",
    expect = ACCEPTABLE,
    desc = "The first one is gone, and the next one has the lock.")
@Outcome(
    id = "first and then next",
    expect = ACCEPTABLE,
    desc = "The first one got the lock before it was gone, and the next one got it after that.")
@Outcome(id = "nobody", expect = FORBIDDEN, desc = "Somebody waits, but the lock is lost.")
@Outcome(id = "both", expect = FORBIDDEN, desc = "Two have the lock.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "All are gone, but something of them is left.")
@State
public class CancelVersusHandOver {

  private final StressLocker locker = new StressLocker();
  private final Ear<Lock> holder = locker.waiter();
  private final Ear<Lock> first = locker.waiter();
  private final Ear<Lock> next = locker.waiter();

  @Actor
  public void cancel() {
    first.cancel();
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
    if (first.heardNothing()) {
      return outcomeForNext("next");
    }
    if (!next.heardNothing()) {
      return "both";
    }
    if (!locker.isServed(first)) {
      return "nobody";
    }
    StressLocker.release(first);
    locker.settle();
    return outcomeForNext("first and then next");
  }

  private String outcomeForNext(String served) {
    if (!locker.isServed(next)) {
      return "nobody";
    }
    return locker.endsWith(next) ? served : "left behind";
  }
}
