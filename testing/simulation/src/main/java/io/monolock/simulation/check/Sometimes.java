// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Command;
import io.monolock.store.Grant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Counts the states that a batch has to have reached, or it has proven nothing. */
public final class Sometimes {

  /** A state that is rare enough to be missed. */
  public enum State {
    HAND_OVER,
    HAND_OVER_IN_VAIN,
    BUSY,
    GRANTED_AGAIN,
    FENCED,
    KEPT_FOR_A_WHILE,
    REFRESHED,
    REFRESH_FAILED,
    HAD_TO_WAIT,
    LOST_BY_EXPIRY,
    LOST_BY_THEFT,
    LOST_UNREACHABLE,
    LOST_REFUSED,
    LOST_BY_MAX_HOLD,
    GRANTED_IN_VAIN,
    STORE_FAILED,
    ATTACHED,
    FORCED,
    CLOSED_WITH_WAITERS,
    FORGOTTEN,
    PAUSED,
    CRASHED,
    SCHEDULER_FULL,
    SUSPENDED,
    THREAD_BLOCKED,
    NEVER_HEALED,
    SENT_AGAIN,
    NOT_REPLICATED,
    EXECUTED_LATE,
    QUORUM
  }

  private final Map<State, Long> counts = new EnumMap<>(State.class);

  /** It was reached. */
  public void reached(State state) {
    counts.merge(state, 1L, Long::sum);
  }

  void executed(Command command, @Nullable Object answer) {
    if (command.kind() == Command.Kind.TRANSFER) {
      reached(answer == null ? State.HAND_OVER_IN_VAIN : State.HAND_OVER);
    } else if (answer instanceof Grant.Busy) {
      reached(State.BUSY);
    } else if (answer instanceof Grant.Granted granted) {
      if (!granted.fresh()) {
        reached(State.GRANTED_AGAIN);
      }
      if (granted.fencingToken().isPresent()) {
        reached(State.FENCED);
      }
    } else if (command.kind() == Command.Kind.RELEASE && !command.time().isZero()) {
      reached(State.KEPT_FOR_A_WHILE);
    }
  }

  /** Counts what others have counted, too. */
  public void add(Sometimes other) {
    other.counts.forEach((state, count) -> counts.merge(state, count, Long::sum));
  }

  /** What was never reached. */
  public List<State> missed() {
    return Stream.of(State.values()).filter(state -> !counts.containsKey(state)).toList();
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
