// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.engine.WaitLine.Kind;
import io.monolock.store.LockKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The lines of one locker, one for each set of keys that has waiters or a holder here, and which of
 * them overlap.
 *
 * <p>A lock on {a} must not starve one on {a, b}: once the first waiter of a line was overtaken
 * eight times by younger waiters of lines that overlap with it, those neither ask nor pass on until
 * it was served or left. If several are starved, the oldest goes first. Two lines of one key each
 * never overlap, so only the others are kept by key, once they have to wait.
 */
final class WaitLines {

  private static final int MOST_OVERTAKINGS = 8;

  private final LockerContext locker;
  private final ConcurrentMap<LockKeys, WaitLine> lines = new ConcurrentHashMap<>();

  private final Set<WaitLine> alone = ConcurrentHashMap.newKeySet();

  /** Lines of several keys, or with a token of the user's, that others may overtake. */
  private final Map<String, List<WaitLine>> spanning = new HashMap<>(); // guarded by itself

  /** How often their first waiter was overtaken. */
  private final Map<WaitLine, Integer> overtaken = new HashMap<>(); // guarded by spanning

  private volatile boolean anySpanning; // written under spanning

  WaitLines(LockerContext locker) {
    this.locker = locker;
  }

  /** The line for these keys, a new one if there is none. */
  WaitLine of(LockKeys keys) {
    WaitLine line = lines.get(keys);
    return line != null
        ? line
        : lines.computeIfAbsent(keys, any -> new WaitLine(locker, keys, Kind.SHARED, null));
  }

  @Nullable WaitLine find(LockKeys keys) {
    return lines.get(keys);
  }

  /** A line for one waiter with a token of the user's. */
  WaitLine alone(LockKeys keys, String token) {
    WaitLine line = new WaitLine(locker, keys, Kind.ALONE, token);
    alone.add(line);
    return line;
  }

  /** All in which callers wait. */
  List<WaitLine> all() {
    List<WaitLine> all = new ArrayList<>(lines.values());
    all.addAll(alone);
    return all;
  }

  int size() {
    return lines.size();
  }

  /** A waiter of the line has to wait. */
  void contended(WaitLine line) {
    if (!line.isSpanning()) {
      return;
    }
    synchronized (spanning) {
      for (String key : line.keys.asList()) {
        List<WaitLine> ofKey = spanning.computeIfAbsent(key, any -> new ArrayList<>(1));
        if (!ofKey.contains(line)) {
          ofKey.add(line);
        }
      }
      anySpanning = true;
    }
    if (line.isOver()) {
      forget(line);
    }
  }

  void remove(WaitLine line) {
    if (line.kind == Kind.SHARED) {
      lines.remove(line.keys, line);
    } else if (line.kind == Kind.ALONE) {
      alone.remove(line);
    }
    if (anySpanning) {
      forget(line);
    }
  }

  private void forget(WaitLine line) {
    synchronized (spanning) {
      for (String key : line.keys.asList()) {
        spanning.computeIfPresent(
            key,
            (any, ofKey) -> {
              ofKey.remove(line);
              return ofKey.isEmpty() ? null : ofKey;
            });
      }
      overtaken.remove(line);
      anySpanning = !spanning.isEmpty();
      if (!anySpanning) {
        overtaken.clear();
      }
    }
  }

  /** Whether other lines, whose waiters may overtake, ask for keys of this one. */
  boolean hasOverlapping(WaitLine line) {
    int itself = line.kind == Kind.SHARED ? 1 : 0;
    return line.isSpanning()
        && line.kind != Kind.SINGLE
        && (anySpanning || lines.size() > itself)
        && !overlapping(line.keys, line).isEmpty();
  }

  private Set<WaitLine> overlapping(LockKeys keys, @Nullable WaitLine line) {
    Set<WaitLine> all = new LinkedHashSet<>();
    synchronized (spanning) {
      for (String key : keys.asList()) {
        all.addAll(spanning.getOrDefault(key, List.of()));
      }
    }
    if (line == null || line.isSpanning()) {
      for (String key : keys.asList()) {
        WaitLine single = lines.get(LockKeys.of(key));
        if (single != null) {
          all.add(single);
        }
      }
    }
    if (line != null) {
      all.remove(line);
    }
    return all;
  }

  /** Whether the line has to leave the keys to an older waiter that was overtaken too often. */
  boolean mustYield(WaitLine line) {
    if (!anySpanning) {
      return false;
    }
    long own = line.firstId();
    for (WaitLine other : overlapping(line.keys, line)) {
      if (isStarved(other) && other.firstId() < own) {
        return true;
      }
    }
    return false;
  }

  /** Whether these keys, which no line of waiters asks for, are for a waiter that is starved. */
  boolean areForOthers(LockKeys keys) {
    return anySpanning && overlapping(keys, null).stream().anyMatch(this::isStarved);
  }

  private boolean isStarved(WaitLine line) {
    synchronized (spanning) {
      return overtaken.getOrDefault(line, 0) >= MOST_OVERTAKINGS;
    }
  }

  /** The waiter of this number got the keys. */
  void served(WaitLine line, long number) {
    if (!anySpanning) {
      return;
    }
    Set<WaitLine> others = overlapping(line.keys, line);
    for (WaitLine other : others) {
      if (other.firstId() < number) {
        synchronized (spanning) {
          overtaken.merge(other, 1, Integer::sum);
        }
      }
    }
    first(line, others);
  }

  /** A waiter has left the line. */
  void left(WaitLine line) {
    if (anySpanning) {
      first(line, overlapping(line.keys, line));
    }
  }

  /** The line has another first waiter, which others may overtake anew. */
  private void first(WaitLine line, Set<WaitLine> others) {
    Integer before;
    synchronized (spanning) {
      before = overtaken.remove(line);
    }
    if (before != null && before >= MOST_OVERTAKINGS) {
      others.forEach(WaitLine::look);
    }
  }

  /**
   * The keys are free.
   *
   * @param lease the one that had them, null if they were freed by force
   */
  void freed(LockKeys keys, @Nullable Lease lease) {
    WaitLine line = lines.get(keys);
    if (line != null) {
      line.freed(lease);
    }
    if (anySpanning || (keys.size() > 1 && !lines.isEmpty())) {
      for (WaitLine other : overlapping(keys, line != null && !line.isSpanning() ? line : null)) {
        if (other != line) {
          other.freed(null);
        }
      }
    }
  }
}
