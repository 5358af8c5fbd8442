// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisExtension.class)
class KeyScannerTest {

  @Test
  void keysAreFoundByPatternAndByTheirTtl(RedisServer server) {
    KeyScanner keys = KeyScanner.of(server);
    assertThat(keys.matching("*")).isEmpty();
    server.command("SET", "lock:b", "1", "PX", "100000");
    server.command("SET", "lock:a", "1");
    server.command("SET", "other", "1");
    assertThat(keys.matching("lock:*")).containsExactly("lock:a", "lock:b");
    assertThat(keys.withoutTtl("lock:*")).containsExactly("lock:a");
    assertThat(keys.withoutTtl("*")).containsExactly("lock:a", "other");
  }
}
