// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.monolock.store.StoreHealth;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;

/** What a store in Redis reports of itself. */
@ExtendWith(RedisExtension.class)
class HealthTest extends StoreOnRedis {

  private static StoreHealth health(RedisLockStore store) {
    return result(store.health());
  }

  @Test
  void withoutAWaiterNothingIsKnownOfWakeUps(RedisServer server) {
    assertThat(health(storeOn(server))).isEqualTo(new StoreHealth("standalone", Optional.empty()));
  }

  @Test
  void withAWaiterItReportsThatWakeUpsWork(RedisServer server) {
    RedisLockStore store = storeOn(server);
    Disposable waiter = store.wakeUps(A).subscribe();
    await().until(() -> health(store).wakeUps().equals(Optional.of(true)));
    waiter.dispose();
  }

  @Test
  void whereTheServerDoesNotTrackItReportsThatWakeUpsDoNotWork(RedisServer server) {
    server.command("ACL", "SETUSER", "deaf", "on", ">secret", "~*", "+@all", "-client|tracking");
    RedisLockStore store =
        storeOn(
            RedisURI.builder()
                .withHost(server.host())
                .withPort(server.port())
                .withAuthentication("deaf", "secret")
                .build());
    Disposable waiter = store.wakeUps(A).subscribe();
    await().until(() -> health(store).wakeUps().equals(Optional.of(false)));
    waiter.dispose();
  }

  @Test
  void whatIsKnownOfWakeUpsIsForgottenWithTheirConnection(RedisServer server) {
    try (FaultProxy proxy = FaultProxy.before(server)) {
      RedisLockStore store = storeOn(RedisURI.create(proxy.uri()));
      Disposable waiter = store.wakeUps(A).subscribe();
      await().until(() -> health(store).wakeUps().isPresent());
      waiter.dispose();
      proxy.cut();
      await().ignoreExceptions().until(() -> health(store).wakeUps().isEmpty());
    }
  }

  @Test
  void aServerThatIsGoneIsAFailure() {
    RedisServer server = RedisServer.start();
    RedisLockStore store = storeOn(server);
    health(store);
    server.close();
    await()
        .untilAsserted(
            () -> assertThat(failure(store.health()).reason()).isEqualTo(Reason.UNAVAILABLE));
  }

  @Test
  void aCancelledCallDisturbsNoOther(RedisServer server) {
    RedisLockStore store = storeOn(server);
    health(store);
    server.pause();
    try {
      assertThat(
              store
                  .health()
                  .timeout(Duration.ofMillis(50))
                  .onErrorComplete()
                  .blockOptional(TIMEOUT))
          .isEmpty();
    } finally {
      server.resume();
    }
    assertThat(health(store).topology()).isEqualTo("standalone");
    acquire(store, A, ALICE);
  }
}
