// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Keyspace;
import io.monolock.simulation.world.Server;
import org.jspecify.annotations.Nullable;

/**
 * While a handle is valid its keys carry its token, at a majority of the servers; unless these have
 * forgotten it, or a caller has released the token explicitly.
 */
final class Backed extends Rule {

  Backed(Checker checker) {
    super(checker);
  }

  @Override
  void executed(Server server, Command command, @Nullable Object answer) {
    switch (command.kind()) {
      case RELEASE, TRANSFER, FORCE_RELEASE, ACQUIRE -> tick();
      default -> {}
    }
  }

  @Override
  void tick() {
    for (Handle handle : checker.open) {
      TokenFacts facts = handle.facts;
      if (!facts.releaseAsked
          && !handle.instance().process().wasSuspended()
          && handle.isValid()
          && !handle.wasReleasedElsewhere()) {
        for (String key : handle.keys.asList()) {
          if (!isBacked(handle, key)) {
            broken(how(handle), key, key + " is no longer that of the valid " + handle);
          }
        }
      }
    }
  }

  private String how(Handle handle) {
    boolean isFreed = !handle.facts.freedAt.isEmpty();
    if (handle.facts.isShared) {
      return "a valid lock of a user's token " + (isFreed ? "was released" : "has ended");
    }
    return (isFreed ? "a valid lock was released" : "a valid lock has ended")
        + checker.settings.kind();
  }

  private boolean isBacked(Handle handle, String key) {
    int good = 0;
    for (Server server : checker.servers) {
      Keyspace.Entry entry = server.data().get(key);
      if ((entry != null && entry.token().equals(handle.token))
          || checker.losses.isLost(key, server, handle.since())) {
        good++;
      }
    }
    return good >= checker.losses.majority();
  }
}
