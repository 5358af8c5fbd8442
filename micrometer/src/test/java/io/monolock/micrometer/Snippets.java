// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.LockStore;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** The code that documents and javadoc of this module show, run. */
@ExtendWith(RedisExtension.class)
class Snippets {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final RedisServer server;
  private RedisClient client;

  Snippets(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    client = RedisClient.create(server.uri());
  }

  @AfterEach
  void close() {
    client.shutdown(0, 0, TimeUnit.SECONDS);
  }

  @Test
  void meters() {
    LockStore store = RedisLockStore.create(client);
    MeterRegistry registry = new SimpleMeterRegistry();

    ReactiveLocker locker =
        ReactiveLocker.builder(store).observer(MicrometerLockObserver.create(registry)).build();

    locker.withLock("order:42", Duration.ofSeconds(30), Mono.empty()).block(LIMIT);
    locker.close().block(LIMIT);
    await()
        .untilAsserted(
            () ->
                assertThat(registry.get("monolock.hold").tag("outcome", "released").timer().count())
                    .isEqualTo(1));
  }

  @Test
  void observations() {
    LockStore store = RedisLockStore.create(client);
    MeterRegistry registry = new SimpleMeterRegistry();
    ObservationRegistry observationRegistry = ObservationRegistry.create();
    observationRegistry
        .observationConfig()
        .observationHandler(new DefaultMeterObservationHandler(registry));

    MicrometerLockObserver observer =
        MicrometerLockObserver.builder(registry)
            .keyGroup(keys -> keys.iterator().next().split(":")[0])
            .observations(observationRegistry)
            .build();
    ReactiveLocker locker = ReactiveLocker.builder(store).observer(observer).build();

    locker.withLock("order:42", Duration.ofSeconds(30), Mono.empty()).block(LIMIT);
    locker.close().block(LIMIT);
    await()
        .untilAsserted(() -> assertThat(registry.get("monolock.holding").timer().count()).isOne());
    assertThat(registry.get("monolock.held").tag("key.group", "order").gauge().value()).isZero();
  }
}
