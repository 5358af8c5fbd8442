// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a server that is too old, before the first call.
 *
 * <p>Such a server would grant a free key, which needs no new command, and then be unable to
 * release it. So each connection first sends the newest command without its arguments: a server
 * that knows the command answers that they are missing, before it looks at the user and the keys,
 * and does nothing.
 */
final class VersionCheck implements ReconnectingConnection.SetUp {

  @Override
  public CompletionStage<?> prepare(StatefulRedisConnection<String, String> connection) {
    return connection
        .async()
        .dispatch(CommandType.GETEX, new StatusOutput<>(StringCodec.UTF8))
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
