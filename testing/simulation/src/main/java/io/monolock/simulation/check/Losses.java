// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Server;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** What servers have forgotten, which no library can make good. */
final class Losses {

  private static final long LONG_AGO = Long.MIN_VALUE / 2;

  private final int servers;
  private final long lifetime;
  private final Map<Server, Long> anything = new LinkedHashMap<>();
  private final Map<String, Map<Server, Long>> keys = new LinkedHashMap<>();
  private final Set<String> forced = new LinkedHashSet<>();

  Losses(int servers, Duration largestTtl) {
    this.servers = servers;
    this.lifetime = largestTtl.toNanos() / 100 * 103;
  }

  int majority() {
    return servers / 2 + 1;
  }

  void forgot(Server server, Set<String> lost, long now) {
    anything.put(server, now);
    lost.forEach(key -> keys.computeIfAbsent(key, any -> new LinkedHashMap<>()).put(server, now));
  }

  /** A caller frees the key by force, now or at any time after. */
  void forced(String key) {
    forced.add(key);
  }

  boolean wasForced(String key) {
    return forced.contains(key);
  }

  /** Whether the key was lost since then, at this server or by force. */
  boolean isLost(String key, Server server, long since) {
    return wasForced(key)
        || keys.getOrDefault(key, Map.of()).getOrDefault(server, LONG_AGO) >= since;
  }

  /** Whether a quorum has members that must not vote, as they forgot something lately. */
  boolean mayBarMembers(long now) {
    return servers > 1 && anything.values().stream().anyMatch(time -> time >= now - 2 * lifetime);
  }

  /** Whether a majority of the servers has forgotten anything since then. */
  boolean byMajority(long since) {
    return anything.values().stream().filter(time -> time >= since).count() >= majority();
  }

  /**
   * Whether two may hold the key at once: it was lost since the first one asked for it, in a quorum
   * by a majority within the largest ttl.
   */
  boolean excuse(String key, long askedAt, long now) {
    if (wasForced(key)) {
      return true;
    }
    if (servers > 1) {
      return byMajority(now - lifetime);
    }
    return keys.getOrDefault(key, Map.of()).values().stream().anyMatch(time -> time >= askedAt);
  }
}
