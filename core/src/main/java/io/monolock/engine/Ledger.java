// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.engine.LeaseCall.Kind;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a token has asked of the store, and what the store may have of it. Guarded by the lease.
 *
 * <p>A call holds later ones up until it is over: a release waits for acquires, and for extends if
 * it keeps the keys, that were let go; acquires and extends wait for releases. Only calls for the
 * same keys do.
 */
final class Ledger {

  /** The calls that are not over, in order. */
  private @Nullable LeaseCall<?> first;

  /**
   * Keys that were or may have been taken, to be released unless a handle or a caller needs them.
   */
  private List<LockKeys> unclaimed = List.of();

  /** Whether a call that took effect late may still take keys. */
  private boolean doubtful;

  /**
   * When the store has forgotten all keys, if every call took effect; valid if anything was asked.
   */
  private long latestEnd = Long.MIN_VALUE;

  /** Until when the keys must stay taken, because of holdAtLeast. */
  private long holdUntil = Long.MIN_VALUE;

  void enter(LeaseCall<?> call) {
    LeaseCall<?> last = first;
    if (last == null) {
      first = call;
      return;
    }
    while (last.next != null) {
      last = last.next;
    }
    last.next = call;
  }

  /** Whether the call goes now. */
  boolean letGo(LeaseCall<?> call, long now) {
    if (call.isLetGo) {
      return false;
    }
    for (LeaseCall<?> other = first; other != null && other != call; other = other.next) {
      if (holdsUp(other, call, now)) {
        return false;
      }
    }
    call.isLetGo = true;
    return true;
  }

  private boolean holdsUp(LeaseCall<?> other, LeaseCall<?> call, long now) {
    boolean matters =
        switch (other.kind) {
          case ACQUIRE -> call.kind == Kind.RELEASE && other.isLetGo;
          case EXTEND -> call.kind == Kind.RELEASE && other.isLetGo && !keepFor(now).isZero();
          case RELEASE -> call.kind != Kind.RELEASE;
        };
    return matters && overlap(other.keys, call.keys);
  }

  static boolean overlap(LockKeys some, LockKeys others) {
    return some.equals(others) || !Collections.disjoint(some.asSet(), others.asSet());
  }

  /** The call holds others up no more. */
  void remove(LeaseCall<?> call) {
    LeaseCall<?> before = null;
    for (LeaseCall<?> each = first; each != null; each = each.next) {
      if (each != call) {
        before = each;
        continue;
      }
      if (before == null) {
        first = each.next;
      } else {
        before.next = each.next;
      }
      return;
    }
  }

  /** Lets go all calls that may go and that nothing holds up. */
  List<LeaseCall<?>> letGo(Predicate<LeaseCall<?>> mayGo, long now) {
    List<LeaseCall<?>> ready = List.of();
    for (LeaseCall<?> each = first; each != null; each = each.next) {
      if (mayGo.test(each) && letGo(each, now)) {
        if (ready.isEmpty()) {
          ready = new ArrayList<>();
        }
        ready.add(each);
      }
    }
    return ready;
  }

  boolean isEmpty() {
    return first == null;
  }

  /** Whether a release that is held up will free these keys. */
  boolean isAboutToFree(LockKeys keys) {
    for (LeaseCall<?> each = first; each != null; each = each.next) {
      if (each.kind == Kind.RELEASE && !each.isLetGo && overlap(each.keys, keys)) {
        return true;
      }
    }
    return false;
  }

  /** Adds the keys for which there are acquires. */
  void addAskedFor(Set<String> names) {
    for (LeaseCall<?> each = first; each != null; each = each.next) {
      if (each.kind == Kind.ACQUIRE) {
        names.addAll(each.keys.asSet());
      }
    }
  }

  void doubt() {
    doubtful = true;
  }

  boolean isDoubtful() {
    return doubtful;
  }

  void addUnclaimed(LockKeys keys) {
    if (unclaimed.isEmpty()) {
      unclaimed = List.of(keys);
    } else if (!unclaimed.contains(keys)) {
      unclaimed = new ArrayList<>(unclaimed);
      unclaimed.add(keys);
    }
  }

  boolean hasUnclaimed() {
    return !unclaimed.isEmpty();
  }

  /** These keys need no cleaning up any more. */
  void removeUnclaimed(LockKeys keys) {
    if (unclaimed.size() == 1 && unclaimed.get(0).equals(keys)) {
      unclaimed = List.of();
    } else if (!unclaimed.isEmpty()) {
      takeUnclaimed(keys.asSet(), true);
    }
  }

  /**
   * Takes out the keys that are not needed.
   *
   * @param needed the ones that are
   * @param inverted whether to take the needed ones instead
   */
  List<LockKeys> takeUnclaimed(Set<String> needed, boolean inverted) {
    List<LockKeys> taken = new ArrayList<>(1);
    List<LockKeys> left = new ArrayList<>(1);
    for (LockKeys keys : unclaimed) {
      addPart(keys, name -> needed.contains(name) == inverted, taken);
      addPart(keys, name -> needed.contains(name) != inverted, left);
    }
    unclaimed = left;
    return taken;
  }

  private static void addPart(LockKeys keys, Predicate<String> condition, List<LockKeys> parts) {
    List<String> part = keys.asList().stream().filter(condition).toList();
    if (part.size() == keys.size()) {
      parts.add(keys);
    } else if (!part.isEmpty()) {
      parts.add(LockKeys.of(part));
    }
  }

  /** What an older lease of the token may have left in the store counts here. */
  void inherit(Ledger older) {
    endsBy(older.latestEnd);
    holdUntil(older.holdUntil);
  }

  void endsBy(long time) {
    latestEnd = Math.max(latestEnd, time);
  }

  long latestEnd() {
    return latestEnd;
  }

  void holdUntil(long time) {
    holdUntil = Math.max(holdUntil, time);
  }

  /** What is left of holdAtLeast, in whole milliseconds. */
  Duration keepFor(long now) {
    if (holdUntil == Long.MIN_VALUE) {
      return Duration.ZERO;
    }
    long left = holdUntil - now + 999_999;
    return left < 1_000_000 ? Duration.ZERO : Duration.ofMillis(left / 1_000_000);
  }
}
