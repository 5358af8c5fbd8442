// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import java.util.List;
import org.redisson.Redisson;
import org.redisson.api.RLockReactive;
import org.redisson.api.RedissonClient;
import org.redisson.api.RedissonReactiveClient;
import org.redisson.config.Config;
import reactor.core.publisher.Mono;

/**
 * Redisson's reactive locks with their watchdog, with an explicit owner as its documentation
 * demands for reactive code, and scripts called by their hash as Monolock does.
 */
final class RedissonContender implements Contender {

  private final RedissonClient client;
  private final RedissonReactiveClient reactive;
  private final boolean fair;

  RedissonContender(String uri, boolean fair) {
    this.fair = fair;
    Config config = new Config().setUseScriptCache(true);
    config.useSingleServer().setAddress(uri);
    client = Redisson.create(config);
    reactive = client.reactive();
  }

  @Override
  public Caller caller(List<String> keys, long owner) {
    RLockReactive[] locks = keys.stream().map(this::lock).toArray(RLockReactive[]::new);
    return new RedissonCaller(locks.length == 1 ? locks[0] : reactive.getMultiLock(locks), owner);
  }

  private RLockReactive lock(String key) {
    return fair ? reactive.getFairLock(key) : reactive.getLock(key);
  }

  @Override
  public void close() {
    client.shutdown();
  }

  private record RedissonCaller(RLockReactive lock, long owner) implements Caller {

    @Override
    public Mono<?> acquireAndRelease(Runnable whileHeld) {
      return lock.lock(owner)
          .then(
              Mono.defer(
                  () -> {
                    whileHeld.run();
                    return lock.unlock(owner);
                  }));
    }

    @Override
    public Mono<Mono<?>> acquire() {
      return lock.lock(owner).thenReturn(lock.unlock(owner));
    }

    @Override
    public Mono<?> hold(Runnable whenHeld) {
      return Mono.usingWhen(
          lock.lock(owner).thenReturn(owner),
          held -> {
            whenHeld.run();
            return Mono.never();
          },
          lock::unlock);
    }
  }
}
