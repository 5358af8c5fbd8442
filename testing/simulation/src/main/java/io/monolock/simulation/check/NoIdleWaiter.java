// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Server;
import io.monolock.simulation.world.World;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first one of a line does not stand beside free keys: if its own locker has freed them, it has
 * them after a step back and some round trips; else at the latest after its retry pause.
 */
final class NoIdleWaiter extends Rule {

  private static final long LONGEST_STEP_BACK = 20_000_000;
  private static final long SLACK = 100_000_000;

  /** Several who ask a quorum at once may take its members from each other for a while. */
  private static final long MEMBERS = 1_000_000_000;

  /** The last release of a set of keys. */
  private record Freed(Command command, long time, boolean wasAttached) {}

  private final List<Call> waiting = new ArrayList<>();
  private final Map<LockKeys, Freed> freed = new LinkedHashMap<>();

  NoIdleWaiter(Checker checker) {
    super(checker);
  }

  @Override
  void asked(Call call) {
    if (call.wantsLock() && !call.options.waitAtMost().isZero()) {
      waiting.add(call);
    }
  }

  @Override
  void executed(Server server, Command command, @Nullable Object answer) {
    if (answer instanceof Grant.Granted || command.kind() == Command.Kind.FORCE_RELEASE) {
      freed.keySet().removeIf(keys -> !Collections.disjoint(keys.asSet(), command.keys().asSet()));
    }
    if (command.kind() == Command.Kind.RELEASE && Boolean.TRUE.equals(answer)) {
      List<Handle> handles = checker.facts(command.token()).handles;
      if (handles.isEmpty()) {
        return; // what no caller had, such as a grant that no replica has
      }
      boolean attached = false;
      for (Handle handle : handles) {
        attached |= handle.call.kind == Call.Kind.ATTACH;
      }
      freed.put(command.keys(), new Freed(command, checker.world.now(), attached));
    }
  }

  @Override
  void tick() {
    waiting.removeIf(call -> call.isOver() || call.hasLock() || call.instance.process().isDead());
    if (checker.settings.tightTimeouts()
        || checker.settings.isNew()
        || checker.losses.mayBarMembers(checker.world.now())) {
      return;
    }
    for (int i = 0; i < waiting.size(); i++) {
      Call call = waiting.get(i);
      if (!isFirst(i) || call.instance.isClosing() || !isFree(call)) {
        call.freeSeen = World.NEVER;
      } else if (call.freeSeen == World.NEVER) {
        call.freeSeen = checker.world.now();
      } else {
        check(call);
      }
    }
  }

  /**
   * Whether no older waiter of its locker wants any of the keys: it may have to leave them to it.
   */
  private boolean isFirst(int index) {
    Call call = waiting.get(index);
    for (int i = 0; i < index; i++) {
      Call older = waiting.get(i);
      if (older.instance.equals(call.instance)
          && !Collections.disjoint(older.keys.asSet(), call.keys.asSet())) {
        return false;
      }
    }
    return true;
  }

  /** Whether the keys are free at a majority of the servers, which nothing is wrong with. */
  private boolean isFree(Call call) {
    int free = 0;
    for (Server server : checker.servers) {
      boolean all = true;
      for (String key : call.keys.asList()) {
        all = all && server.data().get(key) == null;
      }
      free += all && checker.isCalm(server, call.instance, checker.world.now()) ? 1 : 0;
    }
    return free >= checker.losses.majority();
  }

  private void check(Call call) {
    long idle = checker.world.now() - call.freeSeen - (checker.servers.size() > 1 ? MEMBERS : 0);
    long roundTrips = SLACK + 40 * call.instance.usualDelay() + 10 * checker.settings.longestHop();
    boolean isTooShort = call.options.ttl().toNanos() < 10 * call.instance.usualDelay();
    if (idle <= roundTrips || isTooShort || !checker.isAwakeSince(call.instance, call.freeSeen)) {
      return;
    }
    Freed last = freed.get(call.keys);
    long ownBound = roundTrips + LONGEST_STEP_BACK;
    if (last != null
        && isOwn(last, call)
        && idle > ownBound
        && checker.isCalm(call.instance, last.time)) {
      String whose = last.wasAttached ? " when a lock that was attached ended" : "";
      broken("beside keys that its own locker freed" + whose, subject(call), call + " for " + idle);
    } else if (idle > roundTrips + 2 * call.longestPause
        && checker.isCalm(call.instance, call.freeSeen)) {
      broken("longer than its retry pause", subject(call), call + " for " + idle);
    }
  }

  private static boolean isOwn(Freed last, Call call) {
    return last.command.process().equals(call.instance.process())
        && last.time >= call.askedAt
        && last.time <= call.freeSeen
        && call.options.token().isEmpty();
  }

  private static String subject(Call call) {
    return call.keys.asList().get(0);
  }
}
