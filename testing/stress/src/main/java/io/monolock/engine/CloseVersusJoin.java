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

/** The locker is closed while a caller asks it for a lock. */
@JCStressTest
@Outcome(
    id = "refused",
    expect = ACCEPTABLE,
    desc = "The waiter got the error of a closed locker, and nothing is left.")
@Outcome(
    id = "served",
    expect = ACCEPTABLE,
    desc = "The waiter got the lock, closing released it, and nothing is left.")
@Outcome(
    id = "no outcome",
    expect = FORBIDDEN,
    desc = "The waiter got no signal, or more than one outcome.")
@Outcome(id = "closing hangs", expect = FORBIDDEN, desc = "The locker is never closed.")
@Outcome(
    id = "left behind",
    expect = FORBIDDEN,
    desc = "The locker is closed, but a key, a line or a claim is left.")
@State
public class CloseVersusJoin {

  private final StressLocker locker = new StressLocker();
  private RecordingSubscriber<Void> closed = new RecordingSubscriber<>();
  private RecordingSubscriber<Lock> newcomer = new RecordingSubscriber<>();

  @Actor
  public void close() {
    closed = locker.close();
  }

  @Actor
  public void join() {
    newcomer = locker.waiter();
  }

  @Arbiter
  public void arbitrate(L_Result result) {
    locker.settle();
    result.r1 = outcome();
  }

  private String outcome() {
    boolean refused = newcomer.gotOneError(LockerClosedException.class);
    if (!refused && !newcomer.gotOneValue()) {
      return "no outcome";
    }
    if (!closed.gotCompletion()) {
      return "closing hangs";
    }
    if (!locker.isLeftEmpty()) {
      return "left behind";
    }
    return refused ? "refused" : "served";
  }
}
