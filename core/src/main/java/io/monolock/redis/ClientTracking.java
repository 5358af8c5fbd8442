// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.push.PushMessage;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.GenericMapOutput;
import io.lettuce.core.protocol.CommandType;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the server push a message when a key changes that was read over a connection: released,
 * expired, deleted or overwritten, by any client. After one push the key must be read again.
 *
 * <p>Redis calls this client-side caching. It needs RESP3: over RESP2 the server says that it
 * tracks, but pushes nothing. Where it is not available, the connection is used without it, and
 * waiters only try again by themselves.
 */
final class ClientTracking implements ReconnectingConnection.SetUp {

  private static final Logger LOG = LoggerFactory.getLogger(ClientTracking.class);
  private static final Long RESP3 = 3L;

  private final WakeUps wakeUps;
  private final Runnable reopen;
  private final AtomicBoolean warned = new AtomicBoolean();
  private volatile boolean tracked;
  private volatile @Nullable Boolean works;

  /**
   * @param wakeUps the waiters to wake
   * @param reopen opens the next tracked connection
   */
  ClientTracking(WakeUps wakeUps, Runnable reopen) {
    this.wakeUps = wakeUps;
    this.reopen = reopen;
  }

  @Override
  public CompletionStage<?> prepare(StatefulRedisConnection<String, String> connection) {
    connection.addListener(this::pushed);
    RedisAsyncCommands<String, String> redis = connection.async();
    return redis
        .<Map<String, Object>>dispatch(CommandType.HELLO, new GenericMapOutput<>(StringCodec.UTF8))
        .thenCompose(
            hello ->
                RESP3.equals(hello.get("proto"))
                    ? redis.clientTracking(TrackingArgs.Builder.enabled())
                    : CompletableFuture.failedFuture(oldProtocol()))
        .thenAccept(ok -> tracked = true)
        .exceptionally(this::missing);
  }

  private static StoreFailure oldProtocol() {
    return new StoreFailure(Reason.MISUSE, false, "The connection speaks RESP2", null);
  }

  /**
   * A transient failure fails the connection, so that another one tries again; any other is logged
   * once.
   */
  private @Nullable Void missing(Throwable e) {
    StoreFailure failure = ErrorMapping.ofCall(e);
    if (failure.isTransient()) {
      throw failure;
    }
    if (!warned.getAndSet(true)) {
      LOG.warn(
          "Redis cannot wake waiters, which only try again by themselves: {}. Waking them takes RESP3,"
              + " and a user of Redis that may run CLIENT TRACKING",
          failure.getMessage());
    }
    tracked = false;
    return null;
  }

  /** Whether waiters are woken now; null when there is no tracked connection. */
  @Nullable Boolean works() {
    return works;
  }

  private void pushed(PushMessage message) {
    if (!message.getType().equals("invalidate")) {
      return;
    }
    if (message.getContent().get(1) instanceof List<?> keys) {
      keys.forEach(key -> wakeUps.pushed(StringCodec.UTF8.decodeKey((ByteBuffer) key)));
    } else {
      // the server was emptied
      wakeUps.pushedAll();
    }
  }

  @Override
  public void usable() {
    works = tracked;
    wakeUps.wakeAll();
  }

  @Override
  public void lost() {
    works = null;
    if (!wakeUps.isEmpty()) {
      reopen.run();
    }
  }
}
