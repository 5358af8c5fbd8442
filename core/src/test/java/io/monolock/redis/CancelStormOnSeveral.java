// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.test.RedisExtension;
import io.monolock.test.ServerNode;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtendWith;

/** The storm on several servers that have keys. */
@ExtendWith(RedisExtension.class)
public abstract class CancelStormOnSeveral extends CancelStorm {

  /** Those that have keys. */
  protected abstract List<ServerNode> servers();

  @Override
  protected List<?> keys() {
    return servers().stream()
        .flatMap(node -> ((List<?>) node.server().command("KEYS", "*")).stream())
        .filter(key -> !key.equals("monolock:beginning"))
        .toList();
  }

  @Override
  protected String commandStats() {
    return servers().stream()
        .map(node -> String.valueOf(node.server().commandAsString("INFO", "commandstats")))
        .collect(Collectors.joining("\n"));
  }
}
