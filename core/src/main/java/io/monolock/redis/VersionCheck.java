// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a server that is too old, before the first call.
 *
 * <p>Such a server would grant a free key, which needs no new command, and then be unable to
 * release it. So over each connection a script first calls the newest command without its
 * arguments: a server that knows the command answers that they are missing, before it looks at the
 * user and the keys, and does nothing. A proxy, or a service that looks into scripts, may refuse
 * this script and no other one; that says nothing of the version.
 */
final class VersionCheck implements ReconnectingConnection.SetUp {

  private static final LuaScript SCRIPT = LuaScript.load("version");

  @Override
  public CompletionStage<?> prepare(StatefulRedisConnection<String, String> connection) {
    // with an argument, as some proxies refuse a script that has neither keys nor arguments
    return SCRIPT
        .<Object>now(connection.async(), ScriptOutputType.STATUS, "GETEX")
        .handle((nothing, e) -> knows(e));
  }

  private static boolean knows(@Nullable Throwable answer) {
    if (answer != null) {
      StoreFailure failure = ErrorMapping.ofCall(answer);
      if (failure.reason() == Reason.PERMISSION || failure.isTransient()) {
        throw failure;
      }
    }
    return true;
  }
}
