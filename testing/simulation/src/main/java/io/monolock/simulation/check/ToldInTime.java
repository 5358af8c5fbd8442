// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import java.util.ArrayList;
import java.util.List;

/**
 * The one that relies on a lock is told of its end within moments: a body is stopped, and its
 * watchers are signalled; and a result waits no longer than a second for the release.
 */
final class ToldInTime extends Rule {

  private static final long MOMENTS = 100_000_000;
  private static final long LONGEST_RELEASE = 1_000_000_000;

  private final List<Call> relying = new ArrayList<>();

  ToldInTime(Checker checker) {
    super(checker);
  }

  @Override
  void asked(Call call) {
    switch (call.kind) {
      case SCOPE, KEEP_ALIVE, WHILE_HELD -> relying.add(call);
      default -> {}
    }
  }

  @Override
  void tick() {
    relying.removeIf(call -> call.isOver() || isDead(call));
    for (Call call : relying) {
      BodyRun body = call.body;
      Handle handle = body != null ? body.handle : call.handle;
      boolean relies = body == null || !body.isOver();
      if (handle != null && relies && isLate(handle, call)) {
        broken("a loss is not told to " + call.kind, handle.token, handle + " of " + call);
      }
    }
  }

  private static boolean isDead(Call call) {
    return call.instance.process().isDead();
  }

  private boolean isLate(Handle handle, Call call) {
    long since = Math.max(handle.invalidSince, call.askedAt);
    return handle.invalidSince > 0
        && !checker.facts(handle.token).releaseAsked
        && checker.world.now() - since > MOMENTS + 4 * checker.settings.longestHop()
        && checker.isAwakeSince(call.instance, since);
  }

  @Override
  void ended(Call call) {
    BodyRun body = call.body;
    if (call.kind == Call.Kind.SCOPE && body != null && body.endedAt > 0 && !call.cancelled) {
      long late = checker.world.now() - body.endedAt;
      long allowed = LONGEST_RELEASE + MOMENTS + 8 * checker.settings.longestHop();
      if (late > allowed && checker.isAwakeSince(call.instance, body.endedAt)) {
        broken("a result is late", body.handle.token, call + " by " + late / 1_000_000 + " ms");
      }
    }
  }
}
