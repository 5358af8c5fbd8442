// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Two scripts and Lettuce's reactive API: SET NX PX, and DEL if the value is ours. It is the
 * baseline for the cost of what Monolock adds: there are no waiters here, the token is always the
 * same, and signals run on the event loop.
 */
final class RawContender implements Contender {

  private static final String ACQUIRE =
      "return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0";
  private static final String RELEASE =
      "return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0";
  private static final String ACQUIRE_ALL =
      """
      if redis.call('exists', unpack(KEYS)) > 0 then return 0 end
      for _, key in ipairs(KEYS) do redis.call('set', key, ARGV[1], 'PX', ARGV[2]) end
      return 1""";
  private static final String RELEASE_ALL =
      """
      for _, key in ipairs(KEYS) do
        if redis.call('get', key) ~= ARGV[1] then return 0 end
      end
      return redis.call('del', unpack(KEYS))""";
  private static final String TTL = "30000";

  private final LettuceConnection connection;
  private final String acquireScript;
  private final String releaseScript;
  private final String acquireAll;
  private final String releaseAll;

  RawContender(String uri) {
    connection = new LettuceConnection(uri);
    acquireScript = connection.load(ACQUIRE);
    releaseScript = connection.load(RELEASE);
    acquireAll = connection.load(ACQUIRE_ALL);
    releaseAll = connection.load(RELEASE_ALL);
  }

  @Override
  public Caller caller(List<String> keys, long owner) {
    boolean one = keys.size() == 1;
    return new RawCaller(
        connection.commands(),
        one ? acquireScript : acquireAll,
        one ? releaseScript : releaseAll,
        keys.toArray(new String[0]),
        "%022d".formatted(owner));
  }

  @Override
  public void close() {
    connection.close();
  }

  private record RawCaller(
      RedisReactiveCommands<String, String> redis,
      String acquireScript,
      String releaseScript,
      String[] keys,
      String token)
      implements Caller {

    @Override
    public Mono<?> acquireAndRelease(Runnable whileHeld) {
      return tryAcquire()
          .flatMap(
              granted -> {
                if (granted == 0) {
                  return Mono.error(new IllegalStateException("The key is not free: " + keys[0]));
                }
                whileHeld.run();
                return free();
              });
    }

    @Override
    public Mono<Mono<?>> acquire() {
      return tryAcquire().filter(granted -> granted == 1).map(granted -> free());
    }

    @Override
    public Mono<?> hold(Runnable whenHeld) {
      throw new UnsupportedOperationException("Nothing is refreshed here");
    }

    private Mono<Long> tryAcquire() {
      return redis.<Long>evalsha(acquireScript, ScriptOutputType.INTEGER, keys, token, TTL).next();
    }

    private Mono<Long> free() {
      return redis.<Long>evalsha(releaseScript, ScriptOutputType.INTEGER, keys, token).next();
    }
  }
}
