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

/**
 * A waiter is handed the lock while its own attempt, sent before, is granted, too: the two answers
 * arrive at once.
 */
@JCStressTest
@Outcome(
    id = "once",
    expect = ACCEPTABLE,
    desc = "The lock is delivered once, and its release frees it.")
@Outcome(id = "twice", expect = FORBIDDEN, desc = "The lock is delivered more than once.")
@Outcome(id = "never", expect = FORBIDDEN, desc = "The lock is granted, but not delivered.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "The lock is released, but a key, a line or a claim is left.")
@State
public class AttemptVersusHandOver {

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> waiter;
  private final Runnable attemptAnswered;
  private final Runnable handOverAnswered;

  public AttemptVersusHandOver() {
    RecordingSubscriber<Lock> holder = locker.waiter();
    locker.store.holdCalls();
    waiter = locker.otherWaiter();
    Runnable attempt = locker.store.nextHeldBack();
    locker.store.holdAnswers();
    StressLocker.release(holder);
    handOverAnswered = locker.store.nextHeldBack();
    attempt.run();
    attemptAnswered = locker.store.nextHeldBack();
    locker.store.holdNothing();
  }

  @Actor
  public void attempt() {
    attemptAnswered.run();
  }

  @Actor
  public void handOver() {
    handOverAnswered.run();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    locker.settle();
    if (waiter.gotNothing()) {
      result.r1 = "never";
    } else if (!locker.isServed(waiter)) {
      result.r1 = "twice";
    } else {
      result.r1 = locker.endsWith(waiter) ? "once" : "left behind";
    }
  }
}
