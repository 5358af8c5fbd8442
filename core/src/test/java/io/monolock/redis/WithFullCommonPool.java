// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.Lock;
import io.monolock.LockException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;

/** An application whose common pool is full of tasks that block, and which locks something. */
public final class WithFullCommonPool {

  private WithFullCommonPool() {}

  /**
   * Prints {@code locked}, or why it could not lock.
   *
   * @param uris the servers, one of which is the primary
   */
  public static void main(String[] uris) {
    CountDownLatch end = new CountDownLatch(1);
    for (int i = 0; i <= ForkJoinPool.getCommonPoolParallelism(); i++) {
      CompletableFuture.runAsync(() -> awaitUninterruptibly(end));
    }
    ReactiveLocker locker =
        ReactiveLocker.create(
            RedisLockStore.create(
                RedisClient.create(), Stream.of(uris).map(RedisURI::create).toList()));
    LockOptions options = LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofSeconds(10));
    try {
      locker.acquire("order:6", options).flatMap(Lock::release).block(Duration.ofSeconds(30));
      System.out.println("locked");
    } catch (LockException e) {
      System.out.println(e);
    }
    Runtime.getRuntime().halt(0);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
