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

/** Two waiters join at once while the lock is released, on the thread of one of them. */
@JCStressTest
@Outcome(
    id = "the one, then the other",
    expect = ACCEPTABLE,
    desc = "The one is served at once, and the other after it.")
@Outcome(
    id = "the other, then the one",
    expect = ACCEPTABLE,
    desc = "The other is served at once, and the one after it.")
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
public class TwoJoinsVersusRelease {

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> holder = locker.waiter();
  private RecordingSubscriber<Lock> one = new RecordingSubscriber<>();
  private RecordingSubscriber<Lock> other = new RecordingSubscriber<>();

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
  public void arbitrate(L_Result result) {
    locker.settle();
    if (!one.gotNothing() && !other.gotNothing()) {
      result.r1 = "both";
    } else if (locker.isServed(one)) {
      result.r1 = outcome(one, other, "the one, then the other");
    } else if (locker.isServed(other)) {
      result.r1 = outcome(other, one, "the other, then the one");
    } else {
      result.r1 = "not served";
    }
  }

  private String outcome(
      RecordingSubscriber<Lock> first, RecordingSubscriber<Lock> second, String served) {
    StressLocker.release(first);
    locker.settle();
    if (!locker.isServed(second)) {
      return "not served";
    }
    return locker.endsWith(second) ? served : "left behind";
  }
}
