// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.monolock.Lock;
import io.monolock.LockerClosedException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** The locker is closed while a lock is handed over in it. */
@JCStressTest
@Outcome(
    id = "refused",
    expect = ACCEPTABLE,
    desc = "It was told that the locker is closed, and nothing is left.")
@Outcome(
    id = "served",
    expect = ACCEPTABLE,
    desc = "It got the lock, which the closing released, and nothing is left.")
@Outcome(
    id = "no outcome",
    expect = FORBIDDEN,
    desc = "It was told nothing, or more than one thing.")
@Outcome(
    id = "closing hangs",
    expect = FORBIDDEN,
    desc = "The locker waits for something that is never over.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "The locker is closed, but something is left.")
@State
public class CloseVersusHandOver {

  private final StressLocker locker = new StressLocker();
  private final Ear<Lock> holder = locker.waiter();
  private final Ear<Lock> waiter = locker.waiter();
  private Ear<Void> closed = new Ear<>();

  @Actor
  public void close() {
    closed = locker.close();
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
    boolean refused = waiter.heardOneError(LockerClosedException.class);
    if (!refused && !waiter.heardOneValue()) {
      return "no outcome";
    }
    if (!closed.heardTheEnd()) {
      return "closing hangs";
    }
    if (!locker.isLeftEmpty()) {
      return "left behind";
    }
    return refused ? "refused" : "served";
  }
}
