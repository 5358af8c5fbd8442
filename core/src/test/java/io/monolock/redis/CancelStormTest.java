// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisURI;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;

/** The storm, on a real Redis. */
@ExtendWith(RedisExtension.class)
class CancelStormTest extends CancelStorm {

  private final RedisServer server;

  CancelStormTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected RedisURI server() {
    return RedisURI.create(server.uri());
  }

  @Override
  protected List<?> keys() {
    return (List<?>) server.command("KEYS", "*");
  }

  @Override
  protected String commandStats() {
    return server.commandAsString("INFO", "commandstats");
  }
}
