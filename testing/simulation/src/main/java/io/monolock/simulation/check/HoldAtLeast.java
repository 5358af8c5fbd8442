// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Server;
import io.monolock.store.LockKeys;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lock that was to be held for a while at least is not freed before, if it was delivered. */
final class HoldAtLeast extends Rule {

  private static final long TOLERANCE = 5_000_000;

  /** Keys that a majority has confirmed to keep for a while. */
  private record Kept(LockKeys keys, String token, long askedAt, long until) {}

  private final List<Kept> kept = new ArrayList<>();

  HoldAtLeast(Checker checker) {
    super(checker);
  }

  @Override
  void executed(Server server, Command command, @Nullable Object answer) {
    boolean frees =
        command.kind() == Command.Kind.RELEASE
            ? Boolean.TRUE.equals(answer)
            : command.kind() == Command.Kind.TRANSFER && answer != null;
    TokenFacts facts = checker.facts(command.token());
    if (!frees || facts.isShared) {
      return;
    }
    boolean keeps = command.kind() == Command.Kind.RELEASE && !command.time().isZero();
    long until = checker.world.now() + (keeps ? command.time().toNanos() : 0);
    long promised = until;
    for (Handle handle : facts.handles) {
      long least = handle.call.options.holdAtLeast().toNanos();
      // a member may grant after the handle was delivered
      boolean isItsOwn = checker.servers.size() > 1 || facts.freshlyGrantedAt <= handle.deliveredAt;
      if (least > 0 && isItsOwn) {
        promised = Math.min(promised, handle.grantedAt + least);
      }
      if (least > 0
          && isItsOwn
          && checker.servers.size() == 1 // else a majority counts, which is looked at below
          && until < handle.grantedAt + least / 100 * 99 - TOLERANCE) {
        String times = " leaves it until " + until + ", granted at " + handle.grantedAt;
        broken(
            "freed too early by " + command.kind(),
            command.token(),
            command + times + " for at least " + least);
        kept.removeIf(one -> one.token.equals(command.token()));
      }
    }
    if (keeps && facts.freedAt.size() >= checker.losses.majority()) {
      long surely = promised - (promised - checker.world.now()) / 50 - TOLERANCE;
      kept.add(new Kept(command.keys(), command.token(), facts.firstAskedAt, surely));
    }
  }

  @Override
  void delivered(Handle handle) {
    kept.removeIf(one -> one.until <= checker.world.now());
    if (handle.isShared || !handle.isValid() || handle.instance().process().wasSuspended()) {
      return; // it may not be backed by anything, which another rule looks at
    }
    for (Kept one : kept) {
      for (String key : one.keys.asList()) {
        if (handle.keys.asSet().contains(key)
            && !handle.token.equals(one.token)
            && !checker.facts(one.token).isShared
            && !checker.losses.excuse(
                key, Math.min(one.askedAt, handle.since()), checker.world.now())) {
          broken(
              "granted while it was to be kept" + checker.settings.kind(), key, one + " " + handle);
        }
      }
    }
  }
}
