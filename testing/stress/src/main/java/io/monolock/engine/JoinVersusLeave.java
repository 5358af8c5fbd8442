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

/** A waiter joins the line that ends as its only waiter gives up. */
@JCStressTest
@Outcome(
    id = "served",
    expect = ACCEPTABLE,
    desc =
        "The newcomer asked, and gets the lock later, and then the next waiter, and nothing is left.")
@Outcome(
    id = "never asked",
    expect = FORBIDDEN,
    desc = "The newcomer stands first, and does not ask.")
@Outcome(
    id = "not served",
    expect = FORBIDDEN,
    desc = "The newcomer is not woken when the lock is free.")
@Outcome(
    id = "lost line",
    expect = FORBIDDEN,
    desc =
        "The newcomer releases the lock, but the next waiter does not get it, or something is left.")
@State
public class JoinVersusLeave {

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> leaving;
  private final int attemptsBefore;
  private RecordingSubscriber<Lock> newcomer = new RecordingSubscriber<>();

  public JoinVersusLeave() {
    locker.store.takeForAnotherProcess();
    leaving = locker.waiter();
    attemptsBefore = locker.store.attempts();
  }

  @Actor
  public void leave() {
    leaving.cancel();
  }

  @Actor
  public void join() {
    newcomer = locker.waiter();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    result.r1 = locker.store.attempts() == attemptsBefore ? "never asked" : outcome();
  }

  private String outcome() {
    locker.store.free();
    locker.store.wakeUp();
    locker.settle();
    if (!locker.isServed(newcomer)) {
      return "not served";
    }
    return locker.isFollowed(newcomer) ? "served" : "lost line";
  }
}
