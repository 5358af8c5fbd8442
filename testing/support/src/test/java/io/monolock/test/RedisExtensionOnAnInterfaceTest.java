// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

class RedisExtensionOnAnInterfaceTest implements Contract {

  private final RedisServer server;

  RedisExtensionOnAnInterfaceTest(RedisServer server) {
    this.server = server;
  }

  @Override
  public RedisServer server() {
    return server;
  }
}

@ExtendWith(RedisExtension.class)
interface Contract {

  RedisServer server();

  @Test
  default void aTestOfTheInterfaceGetsTheServerOfTheClass(RedisServer server) {
    assertThat(server).isSameAs(server());
  }
}
