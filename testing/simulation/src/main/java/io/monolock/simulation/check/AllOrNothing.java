// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Keyspace;
import io.monolock.simulation.world.Server;
import io.monolock.store.Grant;
import org.jspecify.annotations.Nullable;

/** Keys are granted together or not at all, and a handle has the keys that were asked for. */
final class AllOrNothing extends Rule {

  AllOrNothing(Checker checker) {
    super(checker);
  }

  @Override
  void executed(Server server, Command command, @Nullable Object answer) {
    if (answer instanceof Grant.Granted) {
      String token = command.next().isEmpty() ? command.token() : command.next();
      for (String key : command.keys().asList()) {
        Keyspace.Entry entry = server.data().get(key);
        if (entry == null || !entry.token().equals(token)) {
          broken("granted without all keys", key, command.toString());
        }
      }
    }
  }

  @Override
  void delivered(Handle handle) {
    if (!handle.keys.equals(handle.call.keys)) {
      broken("a handle of other keys", handle.token, handle + " for " + handle.call);
    }
  }
}
