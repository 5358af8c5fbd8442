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

/** A waiter joins the line that ends as its holder releases the lock. */
@JCStressTest
@Outcome(
    id = "served",
    expect = ACCEPTABLE,
    desc = "The newcomer has the lock, and then the next waiter, and nothing is left.")
@Outcome(
    id = "not served",
    expect = FORBIDDEN,
    desc = "The lock is free, but the newcomer does not get it.")
@Outcome(
    id = "lost line",
    expect = FORBIDDEN,
    desc =
        "The newcomer releases the lock, but the next waiter does not get it, or something is left.")
@State
public class JoinVersusRelease {

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> holder;
  private RecordingSubscriber<Lock> newcomer = new RecordingSubscriber<>();

  /** The holder has waited for the lock: otherwise it would hold it without a line. */
  public JoinVersusRelease() {
    RecordingSubscriber<Lock> first = locker.waiter();
    holder = locker.waiter();
    StressLocker.release(first);
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
    if (!locker.isServed(newcomer)) {
      result.r1 = "not served";
    } else {
      result.r1 = locker.isFollowed(newcomer) ? "served" : "lost line";
    }
  }
}
