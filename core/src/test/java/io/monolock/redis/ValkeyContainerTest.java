// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisURI;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

/** The contract and the storm on Valkey from its image; skipped where there is no Docker. */
@Testcontainers(disabledWithoutDocker = true)
class ValkeyContainerTest extends OnContainer {

  @Container private static final GenericContainer<?> SERVER = container("valkey/valkey:9");

  @Override
  RedisURI uri() {
    return uriOf(SERVER);
  }
}
