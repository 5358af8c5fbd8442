// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.monolock.store.LockKeys;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/** An application for a cluster, as it runs where no locale is set. */
public final class WithAsciiCharset {

  private WithAsciiCharset() {}

  /**
   * Prints the default charset, and whether keys of two slots and of one are accepted.
   *
   * @param none of no use
   */
  public static void main(String[] none) {
    System.out.println(Charset.defaultCharset());
    // asks no server
    RedisLockStore store = RedisLockStore.create(RedisClusterClient.create("redis://127.0.0.1:1"));
    System.out.println(check(store, "order:\u00e9", "order:\u00e8"));
    System.out.println(check(store, "order:\u00e9", keyInTheSlotOf("order:\u00e9")));
    Runtime.getRuntime().halt(0);
  }

  private static String check(RedisLockStore store, String one, String other) {
    try {
      store.check(LockKeys.of(List.of(one, other)), false);
      return "accepted";
    } catch (IllegalArgumentException e) {
      return "refused";
    }
  }

  private static String keyInTheSlotOf(String key) {
    int slot = SlotHash.getSlot(key.getBytes(StandardCharsets.UTF_8));
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "order:" + i)
        .filter(other -> SlotHash.getSlot(other.getBytes(StandardCharsets.US_ASCII)) == slot)
        .findFirst()
        .orElseThrow();
  }
}
