// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.Instance;
import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Keyspace;
import io.monolock.simulation.world.Server;
import io.monolock.simulation.world.SimulatedProcess;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * When all callers have come to an end, no key is left but for a reason that is documented, and no
 * locker has lines, leases or timers.
 */
final class NothingLeft extends Rule {

  NothingLeft(Checker checker) {
    super(checker);
  }

  @Override
  void whenQuiet() {
    for (Server server : checker.servers) {
      for (String key : server.data().keys()) {
        Keyspace.Entry entry = server.data().get(key);
        if (entry != null && !hasReason(server, checker.facts(entry.token()))) {
          broken(
              kind(server, checker.facts(entry.token())),
              entry.token(),
              key + " at " + server + " of " + entry.token() + " until " + entry.endsAt());
        }
      }
    }
  }

  @Override
  void whenSettled() {
    for (Instance instance : instances()) {
      if (!instance.isClosing() && !checker.settings.tightTimeouts() && isUntroubled(instance)) {
        int held = heldIn(instance);
        left("lines", instance.snapshot().lines() - held, instance);
        left("leases", instance.snapshot().leases() - held, instance);
      }
    }
  }

  private boolean isUntroubled(Instance instance) {
    return checker.isUntroubled(instance, checker.world.now());
  }

  private String kind(Server server, TokenFacts facts) {
    if (checker.servers.size() == 1) {
      return "a key";
    }
    Command last = facts.writtenBy.get(server);
    boolean isPart = last != null && last.keys().size() < facts.keys.size();
    return isPart ? "a key at a member, by an extension of some" : "a key at a member";
  }

  /** How many locks are held yet, which end by their ttl. */
  private int heldIn(Instance instance) {
    return (int) checker.open.stream().filter(one -> one.instance().equals(instance)).count();
  }

  private void left(String what, int number, Instance instance) {
    if (number > 0) {
      broken(what, "", number + " " + what + " in " + instance);
    }
  }

  private Set<Instance> instances() {
    Set<Instance> alive = new LinkedHashSet<>();
    for (Call call : checker.calls) {
      if (!call.instance.process().isDead()) {
        alive.add(call.instance);
      }
    }
    return alive;
  }

  /** Whether it is documented that such a key ends by its ttl only. */
  private boolean hasReason(Server server, TokenFacts facts) {
    SimulatedProcess process = facts.process;
    return process == null
        || process.isDead()
        || isClosing(process)
        || facts.isShared
        || facts.denied
        || facts.wasNotFreed(server)
        || !checker.isCalm(server, process, checker.world.now())
        || facts.keys.stream().anyMatch(one -> wasLost(server, one, facts))
        || facts.handles.stream().anyMatch(handle -> isLeftToItsTtl(facts, handle));
  }

  private boolean isClosing(SimulatedProcess process) {
    return checker.calls.stream()
        .anyMatch(call -> call.instance.process() == process && call.instance.isClosing());
  }

  /** When one key was lost, the others are no longer released with it. */
  private boolean wasLost(Server server, String key, TokenFacts facts) {
    return checker.losses.isLost(key, server, facts.firstAskedAt);
  }

  private boolean isLeftToItsTtl(TokenFacts facts, Handle handle) {
    long least = handle.call.options.holdAtLeast().toNanos();
    return !handle.released
        || (least > 0 && checker.world.now() < facts.grantedAt + 2 * least + 1_000_000_000);
  }

  @Override
  void atEnd() {
    for (Instance instance : instances()) {
      if (!isUntroubled(instance)) {
        continue;
      }
      left("lines after close", instance.snapshot().lines(), instance);
      left("leases after close", instance.snapshot().leases(), instance);
      left("tasks after close", instance.snapshot().tasks(), instance);
      left("commands after close", instance.commandsUnderWay(), instance);
    }
  }
}
