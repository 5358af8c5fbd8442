// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.Instance;
import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Server;
import io.monolock.simulation.world.SimulatedProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is known of one token. */
final class TokenFacts {

  final List<Handle> handles = new ArrayList<>();

  /** When each server last freed its keys because its locker asked for it. */
  final Map<Server, Long> freedAt = new LinkedHashMap<>();

  /** When each server has last written a key for it, and last refused to free its keys. */
  final Map<Server, Long> writtenAt = new LinkedHashMap<>();

  final Map<Server, Long> notFreedAt = new LinkedHashMap<>();

  /** The processes whose commands have freed its keys. */
  final Set<SimulatedProcess> freedBy = new LinkedHashSet<>();

  /** Some user gave it, or has attached to it. */
  boolean isShared;

  boolean releaseAsked;

  /** A release without an answer was carried out later. */
  boolean releasedLate;

  /** A release was refused for good, so that the keys are left to their ttl. */
  boolean denied;

  /** All keys that were ever asked for with it. */
  final Set<String> keys = new LinkedHashSet<>();

  long firstAskedAt = -1;

  /** The lockers in which a handle of it was given back. */
  final Set<Instance> releasedIn = new LinkedHashSet<>();

  int attaching;
  long grantedAt;
  long freshlyGrantedAt;
  @Nullable SimulatedProcess process;

  /** The command that was the last to write for it at each server. */
  final Map<Server, Command> writtenBy = new LinkedHashMap<>();

  void granted(Server server, Command command, long now) {
    grantedAt = now;
    written(server, command, now);
  }

  void written(Server server, Command command, long now) {
    writtenAt.put(server, now);
    writtenBy.put(server, command);
  }

  /** Whether this server was asked in vain to free all keys, as one of them had ended before. */
  boolean wasNotFreed(Server server) {
    return notFreedAt.getOrDefault(server, -1L) >= writtenAt.getOrDefault(server, -1L);
  }

  /** How many servers have freed its keys since then. */
  long freedSince(long time) {
    return freedAt.values().stream().filter(freed -> freed >= time).count();
  }

  boolean hasValidHandle() {
    return handles.stream().anyMatch(Handle::isValid);
  }
}
