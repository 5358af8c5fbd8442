// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens connections to the master that the Sentinels name; they are asked each time.
 *
 * <p>Lettuce asks them one after the other, always beginning with the first, and waits for one that
 * hangs for the timeout of the URI, which is longer than a call may take. So when the first one
 * hangs, or names a server that is a replica, the next connection is opened by asking the one after
 * it first.
 */
final class SentinelConnectionFactory implements ConnectionFactory {

  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final RedisClient client;
  private final RedisURI uri;
  private final AtomicInteger first = new AtomicInteger();

  SentinelConnectionFactory(RedisClient client, RedisURI uri) {
    this.client = client;
    this.uri = uri;
  }

  /** Whether the URI names Sentinels. */
  static boolean areIn(RedisURI uri) {
    return uri.getSentinelMasterId() != null && !uri.getSentinels().isEmpty();
  }

  @Override
  public CompletionStage<StatefulRedisConnection<String, String>> open() {
    int begunWith = first.get();
    CompletableFuture<StatefulRedisConnection<String, String>> connection =
        client.connectAsync(StringCodec.UTF8, beginningWith(begunWith)).toCompletableFuture();
    Future<?> tooLate = Delays.after(TIMEOUT, () -> first.compareAndSet(begunWith, begunWith + 1));
    CompletableFuture<?> unused =
        connection.whenComplete(
            (opened, e) -> {
              Delays.cancel(tooLate);
              if (e != null) {
                first.compareAndSet(begunWith, begunWith + 1);
              }
            });
    return connection;
  }

  private RedisURI beginningWith(int number) {
    List<RedisURI> sentinels = new ArrayList<>(uri.getSentinels());
    Collections.rotate(sentinels, -Math.floorMod(number, sentinels.size()));
    RedisURI rotated = RedisURI.builder(uri).withSentinel(sentinels.get(0)).build();
    rotated.setSentinelMasterId(uri.getSentinelMasterId());
    rotated.getSentinels().clear();
    rotated.getSentinels().addAll(sentinels);
    return rotated;
  }

  @Override
  public Duration timeout() {
    return ConnectionFactory.timeout(uri);
  }

  @Override
  public void ledToReplica() {
    first.incrementAndGet();
  }

  @Override
  public String topology() {
    return "sentinel";
  }
}
