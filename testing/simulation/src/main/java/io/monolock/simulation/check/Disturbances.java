// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Server;
import io.monolock.simulation.world.SimulatedProcess;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Until when something is wrong with servers, and with the ways of single processes to them. */
final class Disturbances {

  private record Way(Server server, @Nullable SimulatedProcess process) {}

  private final Map<Way, Long> until = new LinkedHashMap<>();

  void add(Server server, @Nullable SimulatedProcess process, long time) {
    until.merge(new Way(server, process), time, Math::max);
  }

  long until(Server server, SimulatedProcess process) {
    return Math.max(
        until.getOrDefault(new Way(server, null), -1L),
        until.getOrDefault(new Way(server, process), -1L));
  }
}
