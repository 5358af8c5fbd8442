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

/** Another process frees the lock while the last refusal is on its way to the first waiter. */
@JCStressTest
@Outcome(
    id = "asked again",
    expect = ACCEPTABLE,
    desc = "The waiter has asked once more, and has the lock.")
@Outcome(
    id = "never asked again",
    expect = FORBIDDEN,
    desc = "The lock is free, but the waiter does not ask: its wake-up is lost.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "All have ended, but a key, a line or a claim is left.")
@State
public class WakeUpVersusRefusal {

  private final StressLocker locker = new StressLocker();
  private final RecordingSubscriber<Lock> waiter;
  private final Runnable refusal;

  public WakeUpVersusRefusal() {
    locker.store.takeForAnotherProcess();
    waiter = locker.waiter();
    locker.store.holdAnswers();
    locker.store.wakeUp();
    locker.settle();
    refusal = locker.store.nextHeldBack();
    locker.store.holdNothing();
  }

  @Actor
  public void refuse() {
    refusal.run();
  }

  @Actor
  public void wakeUp() {
    locker.store.free();
    locker.store.wakeUp();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    locker.settle();
    if (!locker.isServed(waiter)) {
      result.r1 = "never asked again";
    } else {
      result.r1 = locker.endsWith(waiter) ? "asked again" : "left behind";
    }
  }
}
