// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.redis.Lockers.LIMIT;
import static io.monolock.redis.Lockers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a holder is told when its server refuses an extension for good. */
class RefusedExtensionTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ZERO);

  @RegisterExtension private final Lockers lockers = new Lockers();

  @Test
  void aRefusalThatWillNotPassIsNotCalledUnreachable() {
    RedisServer server = lockers.closing(RedisServer.start());
    ReactiveLocker locker = lockers.on(server.uri());
    get(locker.acquire("warm-up", OPTIONS));
    Lock lock = get(locker.acquire("order:1", OPTIONS.ttl(Duration.ofSeconds(2))));

    server.command("ACL", "SETUSER", "default", "-pexpire");

    assertThatExceptionOfType(LockLostException.class)
        .isThrownBy(() -> lock.keepAlive().block(LIMIT))
        .satisfies(
            e ->
                assertThat(e.reason())
                    .as(e.getMessage())
                    .isEqualTo(LockLostException.Reason.REFUSED));
  }
}
