// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.LockLostException;
import io.monolock.LockObserver;
import io.monolock.simulation.check.Call;
import io.monolock.simulation.check.Checker;
import io.monolock.simulation.check.Sometimes;
import io.monolock.simulation.check.Sometimes.State;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import reactor.util.context.ContextView;

/** Hears what a locker tells observers, and throws at times. */
final class FleetObserver implements LockObserver {

  private final Sometimes sometimes;
  private final Checker checker;
  private final boolean throwsAtTimes;
  private final boolean throwsSneakily;
  private final Map<Long, Call> calls = new HashMap<>();
  private int heard;

  FleetObserver(
      Sometimes sometimes, Checker checker, boolean throwsAtTimes, boolean throwsSneakily) {
    this.throwsSneakily = throwsSneakily;
    this.sometimes = sometimes;
    this.checker = checker;
    this.throwsAtTimes = throwsAtTimes;
  }

  private void maybeThrow() {
    checker.userCode("an observer");
    heard++;
    if (throwsAtTimes && heard % 17 == 0) {
      if (throwsSneakily && heard % 2 == 0) {
        Sneaky.<Object>rethrow();
      }
      throw new IllegalStateException("an observer that throws");
    }
  }

  @Override
  public void asked(long id, Set<String> keys, ContextView context) {
    context.<Call>getOrEmpty(Call.class).ifPresent(call -> calls.put(id, call));
    maybeThrow();
  }

  @Override
  public void waiting(long id, Set<String> keys) {
    sometimes.reached(State.HAD_TO_WAIT);
    Call call = calls.get(id);
    if (call != null) {
      call.waits();
    }
    maybeThrow();
  }

  @Override
  public void refreshed(long id, Set<String> keys) {
    sometimes.reached(State.REFRESHED);
    maybeThrow();
  }

  @Override
  public void refreshFailed(long id, Set<String> keys, Throwable reason) {
    sometimes.reached(State.REFRESH_FAILED);
    maybeThrow();
  }

  @Override
  public void lost(long id, Set<String> keys, LockLostException.Reason reason) {
    switch (reason) {
      case EXPIRED -> sometimes.reached(State.LOST_BY_EXPIRY);
      case TAKEN -> sometimes.reached(State.LOST_BY_THEFT);
      case UNREACHABLE -> sometimes.reached(State.LOST_UNREACHABLE);
      case REFUSED -> sometimes.reached(State.LOST_REFUSED);
      case MAX_HOLD -> sometimes.reached(State.LOST_BY_MAX_HOLD);
      case RELEASED -> {}
    }
  }

  @Override
  public void abandoned(long id, Set<String> keys) {
    sometimes.reached(State.GRANTED_IN_VAIN);
    maybeThrow();
  }
}
