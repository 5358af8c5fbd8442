// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Server;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What servers have forgotten, which no library can make good. */
final class Losses {

  private static final long LONG_AGO = Long.MIN_VALUE / 2;

  private final int servers;
  private final Map<Server, Long> anything = new LinkedHashMap<>();
  private final Map<String, Map<Server, Long>> keys = new LinkedHashMap<>();
  private final Map<String, Long> forced = new LinkedHashMap<>();
  private boolean restarted;

  Losses(int servers) {
    this.servers = servers;
  }

  int majority() {
    return servers / 2 + 1;
  }

  void forgot(Server server, Set<String> lost, long now) {
    anything.put(server, now);
    lost.forEach(key -> keys.computeIfAbsent(key, any -> new LinkedHashMap<>()).put(server, now));
  }

  void restarted() {
    restarted = true;
  }

  /** Somebody has freed the key by force, or was about to. */
  void forced(String key, long now) {
    forced.put(key, now);
  }

  /** Whether the key was lost since then, at this server or by force. */
  boolean isLost(String key, Server server, long since) {
    return keys.getOrDefault(key, Map.of()).getOrDefault(server, LONG_AGO) >= since
        || wasForced(key, since);
  }

  boolean wasForced(String key, long since) {
    return forced.getOrDefault(key, LONG_AGO) >= since;
  }

  /** Whether a quorum has members that must not vote for a while. */
  boolean mayBarMembers() {
    return servers > 1 && (restarted || !anything.isEmpty());
  }

  /** Whether a majority of the servers has forgotten anything since then. */
  boolean byMajority(long since) {
    return anything.values().stream().filter(time -> time >= since).count() >= majority();
  }

  /**
   * Whether two may hold the key at once: it was lost since the first one asked for it, in a quorum
   * by a majority within the largest ttl.
   */
  boolean excuse(String key, long askedAt, long now, Duration largestTtl) {
    if (wasForced(key, askedAt)) {
      return true;
    }
    if (servers > 1) {
      return byMajority(now - largestTtl.toNanos() / 100 * 103);
    }
    return keys.getOrDefault(key, Map.of()).values().stream().anyMatch(time -> time >= askedAt);
  }
}
