// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.RedisCluster;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One of the three masters of a cluster dies while callers contend for locks on all of them. */
class MasterLossTest {

  private static final List<String> KEYS =
      IntStream.range(0, 18).mapToObj(i -> "key:" + i).toList();
  private static final int CALLERS_OF_EACH_KEY = 3;
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(5)).fenced(true).waitAtMost(Duration.ofMinutes(1));
  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Map<String, Lock> holders = new ConcurrentHashMap<>();
  private final Map<String, AtomicLong> grants = new ConcurrentHashMap<>();
  private final Queue<String> doubleGrants = new ConcurrentLinkedQueue<>();
  private volatile boolean isOver;

  @Test
  @Tag("thorough")
  void allCallersEndNoLockIsGrantedTwiceAndTheThroughputIsBack() throws InterruptedException {
    KEYS.forEach(key -> grants.put(key, new AtomicLong()));
    try (RedisCluster cluster = RedisCluster.start()) {
      List<RedisClusterClient> clients = List.of(client(cluster), client(cluster));
      List<ReactiveLocker> lockers =
          clients.stream()
              .map(client -> ReactiveLocker.create(RedisLockStore.create(client)))
              .toList();
      var callers = callAll(lockers).toFuture();
      ServerNode victim = cluster.ownerOf(KEYS.get(0));
      List<String> keysOfVictim =
          KEYS.stream().filter(key -> cluster.ownerOf(key).equals(victim)).toList();
      awaitGrants(KEYS);
      long before = grantsIn(WINDOW);

      victim.server().kill();
      cluster.awaitSettled();

      awaitGrants(keysOfVictim);
      awaitThroughput(before / 2);
      isOver = true;
      assertThat(callers).succeedsWithin(TIMEOUT);
      assertThat(doubleGrants).isEmpty();
      lockers.forEach(locker -> locker.close().block(TIMEOUT));
      clients.forEach(client -> client.shutdown(0, 0, TimeUnit.SECONDS));
    }
  }

  private static RedisClusterClient client(RedisCluster cluster) {
    return RedisClusterClient.create(cluster.uris().stream().map(RedisURI::create).toList());
  }

  /** Completes when all callers have ended, each of them with the value of its body. */
  private Mono<Void> callAll(List<ReactiveLocker> lockers) {
    List<Mono<Void>> callers = new ArrayList<>();
    for (ReactiveLocker locker : lockers) {
      for (String key : KEYS) {
        for (int i = 0; i < CALLERS_OF_EACH_KEY; i++) {
          callers.add(
              locker
                  .withLock(List.of(key), OPTIONS, lock -> body(key, lock))
                  .switchIfEmpty(Mono.error(() -> new AssertionError("a body must have a value")))
                  .repeat(() -> !isOver)
                  .then());
        }
      }
    }
    return Flux.fromIterable(callers).flatMap(caller -> caller, callers.size()).then();
  }

  private Mono<Long> body(String key, Lock lock) {
    Lock last = holders.put(key, lock);
    // a handle that is valid now has been valid since its grant
    if (last != null && last.isValid() && lock.isValid()) {
      doubleGrants.add(key + ": " + last + " and " + lock);
    }
    grants.get(key).incrementAndGet();
    return Mono.delay(Duration.ofMillis(5));
  }

  private void awaitGrants(List<String> keys) throws InterruptedException {
    List<Long> before = keys.stream().map(key -> grants.get(key).get()).toList();
    long end = System.nanoTime() + TIMEOUT.toNanos();
    for (int i = 0; i < keys.size(); i++) {
      while (grants.get(keys.get(i)).get() == before.get(i)) {
        assertThat(System.nanoTime()).as("%s must be granted again", keys.get(i)).isLessThan(end);
        Thread.sleep(10);
      }
    }
  }

  private void awaitThroughput(long least) throws InterruptedException {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    for (long now = grantsIn(WINDOW); now < least; now = grantsIn(WINDOW)) {
      assertThat(System.nanoTime()).as("%d grants, must be %d", now, least).isLessThan(end);
    }
  }

  private long grantsIn(Duration window) throws InterruptedException {
    long before = allGrants();
    Thread.sleep(window.toMillis());
    return allGrants() - before;
  }

  private long allGrants() {
    return grants.values().stream().mapToLong(AtomicLong::get).sum();
  }
}
