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

/** Two join at once while the lock is released, by a holder in the thread of one of them. */
@JCStressTest
@Outcome(
    id = "the one, then the other",
    expect = ACCEPTABLE,
    desc = "The one is served at once, and the other one after it.")
@Outcome(
    id = "the other, then the one",
    expect = ACCEPTABLE,
    desc = "The other one is served at once, and the one after it.")
@Outcome(id = "nobody", expect = FORBIDDEN, desc = "Somebody waits, but the lock is lost.")
@Outcome(id = "both", expect = FORBIDDEN, desc = "Two have the lock.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "All are gone, but something of them is left.")
@State
public class TwoJoinsVersusRelease {

  private final StressLocker locker = new StressLocker();
  private final Ear<Lock> holder = locker.waiter();
  private Ear<Lock> one = new Ear<>();
  private Ear<Lock> other = new Ear<>();

  @Actor
  public void joinAndRelease() {
    one = locker.waiter();
    StressLocker.release(holder);
  }

  @Actor
  public void join() {
    other = locker.waiter();
  }

  @Arbiter
  public void judge(L_Result result) {
    locker.settle();
    if (!one.heardNothing() && !other.heardNothing()) {
      result.r1 = "both";
    } else if (locker.isServed(one)) {
      result.r1 = outcome(one, other, "the one, then the other");
    } else if (locker.isServed(other)) {
      result.r1 = outcome(other, one, "the other, then the one");
    } else {
      result.r1 = "nobody";
    }
  }

  private String outcome(Ear<Lock> first, Ear<Lock> second, String served) {
    StressLocker.release(first);
    locker.settle();
    if (!locker.isServed(second)) {
      return "nobody";
    }
    return locker.endsWith(second) ? served : "left behind";
  }
}
