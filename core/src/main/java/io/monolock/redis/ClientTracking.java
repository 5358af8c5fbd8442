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
 * Lets the server push when a key changes that was read over a connection, be it released, expired,
 * deleted or overwritten, and by whomever. One push ends it, until the key is read again.
 *
 * <p>Redis calls it client-side caching. It needs RESP3: over RESP2 the server says that it tracks,
 * and is never heard of. Where it cannot be had, the connection is as good as any other one, and
 * those who wait come back by themselves.
 */
final class ClientTracking implements ReconnectingConnection.SetUp {

  private static final Logger LOG = LoggerFactory.getLogger(ClientTracking.class);
  private static final Long RESP3 = 3L;

  private final WakeUps wakeUps;
  private final Runnable reopen;
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile boolean tracked;
  private volatile @Nullable Boolean works;

  /**
   * @param wakeUps whom to wake
   * @param reopen opens another connection for them
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

  /** What passes may be tried again, on another connection. */
  private @Nullable Void missing(Throwable e) {
    StoreFailure failure = ErrorMapping.ofCall(e);
    if (failure.isTransient()) {
      throw failure;
    }
    if (!told.getAndSet(true)) {
      LOG.warn(
          "Redis cannot wake those who wait for a lock, who try again by themselves: {}. Waking takes"
              + " RESP3, and a user of Redis who may run CLIENT TRACKING",
          failure.getMessage());
    }
    tracked = false;
    return null;
  }

  /** Whether it works for those who wait now; null when there is no connection for them. */
  @Nullable Boolean works() {
    return works;
  }

  private void pushed(PushMessage message) {
    if (!message.getType().equals("invalidate")) {
      return;
    }
    if (message.getContent().get(1) instanceof List<?> keys) {
      keys.forEach(key -> wakeUps.wake(StringCodec.UTF8.decodeKey((ByteBuffer) key)));
    } else {
      // the server was emptied
      wakeUps.wakeAll();
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
