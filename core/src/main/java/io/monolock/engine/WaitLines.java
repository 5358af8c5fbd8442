// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.LockKeys;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The lines of one locker, one for each set of keys that has waiters or a holder here. */
final class WaitLines {

  private final ConcurrentMap<LockKeys, WaitLine> lines = new ConcurrentHashMap<>();

  /** The line for these keys, a new one if there is none. */
  WaitLine of(LockerContext locker, LockKeys keys) {
    WaitLine line = lines.get(keys);
    return line != null ? line : lines.computeIfAbsent(keys, any -> new WaitLine(locker, keys));
  }

  @Nullable WaitLine find(LockKeys keys) {
    return lines.get(keys);
  }

  void remove(WaitLine line) {
    lines.remove(line.keys(), line);
  }

  int size() {
    return lines.size();
  }
}
