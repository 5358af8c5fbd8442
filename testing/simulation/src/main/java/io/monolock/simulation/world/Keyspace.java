// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a server keeps: keys that end by themselves, and who is to be pushed when they change. */
public final class Keyspace {

  /** The end of a key that never ends. */
  static final long NEVER = Long.MAX_VALUE;

  private static final int REMEMBERED = 256;

  /**
   * A value.
   *
   * @param token whose it is
   * @param endsAt in milliseconds of the server's clock
   */
  public record Entry(String token, String metadata, long endsAt) {}

  /** A fencing number, and the token that it was made for. */
  record Fence(long number, String token) {}

  private record Change(long time, String key, @Nullable Entry before) {}

  private final Server server;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final Map<String, Fence> fences = new LinkedHashMap<>();
  private final Map<String, Set<Connection>> readers = new LinkedHashMap<>();
  private final Deque<Change> changes = new ArrayDeque<>();
  private int losesEach;
  private int writes;

  Keyspace(Server server) {
    this.server = server;
  }

  /** The value, unless it has ended. */
  public @Nullable Entry get(String key) {
    Entry entry = entries.get(key);
    if (entry != null && entry.endsAt <= server.millis()) {
      change(key, null);
      return null;
    }
    return entry;
  }

  /** The keys that have not ended. */
  public Set<String> keys() {
    Set<String> live = new TreeSet<>(entries.keySet());
    live.removeIf(key -> get(key) == null);
    return live;
  }

  long pttl(Entry entry) {
    return entry.endsAt == NEVER ? NEVER : entry.endsAt - server.millis();
  }

  void put(String key, String token, String metadata, long pttl) {
    change(key, new Entry(token, metadata, pttl == NEVER ? NEVER : server.millis() + pttl));
  }

  void remove(String key) {
    change(key, null);
  }

  /** Forgets each nth write, as no server does. */
  public void loseEach(int nth) {
    losesEach = nth;
  }

  private void change(String key, @Nullable Entry after) {
    if (losesEach > 0 && ++writes % losesEach == 0) {
      return;
    }
    Entry before = after == null ? entries.remove(key) : entries.put(key, after);
    changes.add(new Change(server.now(), key, before));
    if (changes.size() > REMEMBERED) {
      changes.remove();
    }
    Set<Connection> toPush = readers.remove(key);
    if (toPush != null) {
      toPush.forEach(connection -> connection.push(key));
    }
  }

  /** From now on the connection is told once when the key changes, or soon after it has ended. */
  void track(String key, Connection connection) {
    readers.computeIfAbsent(key, any -> new LinkedHashSet<>()).add(connection);
    Entry entry = get(key);
    if (entry != null && entry.endsAt != NEVER) {
      server.afterMillis(pttl(entry), () -> get(key));
    }
  }

  @Nullable Fence fence(String key) {
    return fences.get(key);
  }

  void fence(String key, long number, String token) {
    fences.put(key, new Fence(number, token));
  }

  /** Forgets everything, but who reads what; the keys that were there. */
  Set<String> clear() {
    Set<String> lost = keys();
    lost.forEach(this::remove);
    entries.clear();
    fences.clear();
    return lost;
  }

  /** Connections that have ended read nothing. */
  void forgetReaders() {
    readers.clear();
  }

  /** Undoes what was written since this true time, like a replica that lags; the keys concerned. */
  Set<String> undoSince(long time) {
    Set<String> undone = new TreeSet<>();
    while (!changes.isEmpty() && changes.getLast().time >= time) {
      Change change = changes.removeLast();
      undone.add(change.key);
      if (change.before == null) {
        entries.remove(change.key);
      } else {
        entries.put(change.key, change.before);
      }
    }
    return undone;
  }
}
