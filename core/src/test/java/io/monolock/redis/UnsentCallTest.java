// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.redis.Lockers.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.RedisURI;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a caller is told of a call for which no connection was open in time. */
class UnsentCallTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

  @RegisterExtension private final Lockers lockers = new Lockers();

  @Test
  void aConnectionThatDoesNotOpenIsUnavailableAsNothingWasSent() {
    RedisServer server = lockers.closing(RedisServer.start());
    FaultProxy proxy = lockers.closing(FaultProxy.before(server));
    proxy.blackHole(true);
    RedisURI uri = RedisURI.create(proxy.uri());
    uri.setTimeout(Duration.ofSeconds(5));
    ReactiveLocker locker =
        lockers.over(RedisLockStore.create(lockers.client(), uri), Duration.ofMillis(500));

    assertThatExceptionOfType(LockStoreException.class)
        .isThrownBy(() -> locker.tryAcquire("order:2", OPTIONS).block(LIMIT))
        .satisfies(e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(Reason.UNAVAILABLE));
  }
}
