// SPDX-License-Identifier: Apache-2.0
package io.monolock.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.interop.OtherClient.Counts;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients of others lock the same keys beside a locker, for a minute: the locker has a key prefix,
 * they use the whole key. Each checks in Redis that no other one holds a key meanwhile, and counts
 * there how often it was held, in two steps that nothing but the lock protects.
 */
@Tag("thorough")
class OtherClientsTest {

  private static final Duration TIME = Duration.ofSeconds(Long.getLong("interop.seconds", 60));
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(20)).waitAtMost(Duration.ofSeconds(30));
  private static final String PREFIX = "lock:";
  private static final List<String> KEYS = List.of("order:1", "order:2");

  private static final Map<OtherClient, Counts> OTHERS = new EnumMap<>(OtherClient.class);
  private static Counts ours = new Counts(0, 0, 0);
  private static long counted;
  private static List<String> left = List.of();

  @BeforeAll
  static void contend() {
    Map<OtherClient, List<String>> commands = new EnumMap<>(OtherClient.class);
    for (OtherClient other : OtherClient.values()) {
      other.command().ifPresent(command -> commands.put(other, command));
    }
    RedisClient client = RedisClient.create();
    try (RedisServer server = RedisServer.start()) {
      long until = System.currentTimeMillis() + (commands.isEmpty() ? 0 : TIME.toMillis());
      Map<OtherClient, Process> processes = new EnumMap<>(OtherClient.class);
      commands.forEach(
          (other, command) ->
              processes.put(
                  other,
                  OtherClient.start(
                      command, server.port(), until, KEYS.stream().map(PREFIX::concat).toList())));
      RedisURI uri = RedisURI.create(server.uri());
      RedisCommands<String, String> redis = client.connect(uri).sync();
      ReactiveLocker locker =
          ReactiveLocker.create(RedisLockStore.builder(client, uri).keyPrefix(PREFIX).build());
      ours =
          KEYS.stream()
              .map(key -> CompletableFuture.supplyAsync(() -> contend(locker, redis, key, until)))
              .toList()
              .stream()
              .map(CompletableFuture::join)
              .reduce(new Counts(0, 0, 0), Counts::plus);
      processes.forEach((other, process) -> OTHERS.put(other, OtherClient.counts(process)));
      locker.close().block(LIMIT);
      counted =
          KEYS.stream()
              .map(key -> redis.get("count of " + PREFIX + key))
              .mapToLong(count -> count == null ? 0 : Long.parseLong(count))
              .sum();
      left = redis.keys(PREFIX + "*");
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  /** As {@code contend.js} does. */
  private static Counts contend(
      ReactiveLocker locker, RedisCommands<String, String> redis, String key, long until) {
    String whole = PREFIX + key;
    long held = 0;
    long waited = 0;
    long overlaps = 0;
    while (System.currentTimeMillis() < until) {
      waited += redis.exists(whole);
      Lock lock = locker.acquire(key, OPTIONS).block(LIMIT);
      overlaps += redis.incr("holders of " + whole) == 1 ? 0 : 1;
      String count = redis.get("count of " + whole);
      pause(3);
      redis.set("count of " + whole, Long.toString(count == null ? 1 : Long.parseLong(count) + 1));
      redis.decr("holders of " + whole);
      held++;
      if (!lock.release().block(LIMIT)) {
        throw new AssertionError(key + " was no longer ours");
      }
      pause(5);
    }
    return new Counts(held, waited, overlaps);
  }

  /** What a holder does, and what it does in between. */
  private static void pause(int most) {
    try {
      TimeUnit.MICROSECONDS.sleep(ThreadLocalRandom.current().nextInt(most * 1_000));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void holdsAndWaitsBesideOurs(OtherClient other) {
    assumeTrue(OTHERS.containsKey(other), () -> other + " is skipped: " + other.needs());
    for (Counts counts : List.of(OTHERS.get(other), ours)) {
      assertThat(counts.held()).isGreaterThan(TIME.toSeconds());
      assertThat(counts.waited()).isGreaterThan(TIME.toSeconds() / 2);
      assertThat(counts.overlaps()).isZero();
    }
  }

  @Test
  void noCountIsLostAndNoKeyIsLeft() {
    assertThat(counted)
        .isEqualTo(
            Stream.concat(Stream.of(ours), OTHERS.values().stream()).mapToLong(Counts::held).sum());
    assertThat(left).isEmpty();
  }
}
