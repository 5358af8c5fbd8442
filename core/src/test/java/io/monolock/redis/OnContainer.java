// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/** What has to be true of a server in a container. */
abstract class OnContainer {

  private static final int PORT = 6379;

  private RedisClient client;
  private StatefulRedisConnection<String, String> connection;

  @SuppressWarnings("resource") // the caller closes it
  static GenericContainer<?> container(String image) {
    return new GenericContainer<>(image)
        .withExposedPorts(PORT)
        .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*", 1));
  }

  static RedisURI uriOf(GenericContainer<?> container) {
    return RedisURI.create(container.getHost(), container.getMappedPort(PORT));
  }

  abstract RedisURI uri();

  @BeforeEach
  void connect() {
    client = RedisClient.create(uri());
    connection = client.connect();
    connection.sync().flushall();
  }

  @AfterEach
  void disconnect() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  @Nested
  class Contract extends StoreOnRedis implements LockStoreContract {

    private RedisLockStore store;

    @BeforeEach
    void createStore() {
      store = storeOn(uri());
    }

    @Override
    public LockStore store() {
      return store;
    }
  }

  @Nested
  class Storm extends CancelStorm {

    @Override
    protected RedisURI server() {
      return uri();
    }

    @Override
    protected List<?> keys() {
      return connection.sync().keys("*");
    }

    @Override
    protected String commandStats() {
      return connection.sync().info("commandstats");
    }
  }
}
