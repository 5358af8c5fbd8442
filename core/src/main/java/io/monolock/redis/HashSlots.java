// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.cluster.SlotHash;
import io.monolock.store.LockKeys;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The hash slots of a cluster. The slot of a key with a hash tag, the text between its first brace
 * and the next closing one, is that of the tag; the slot of any other key is that of its whole
 * text.
 */
final class HashSlots {

  private HashSlots() {}

  static int of(String key) {
    // whatever the default charset is
    return SlotHash.getSlot(key.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Throws {@link IllegalArgumentException} unless all keys, and their fence keys if fenced, are in
   * one slot.
   *
   * @param name the key as it is in Redis
   */
  static void check(LockKeys keys, UnaryOperator<String> name, boolean fenced) {
    if (keys.asList().stream().map(name).mapToInt(HashSlots::of).distinct().count() > 1) {
      throw new IllegalArgumentException(
          "In a cluster all keys of a lock must have one hash slot, was "
              + keys.asList().stream()
                  .map(key -> LockKeys.escaped(key) + " in slot " + of(name.apply(key)))
                  .collect(Collectors.joining(", "))
              + "; give them one hash tag, as in {order}:1 and {order}:2");
    }
    if (fenced) {
      keys.asList().forEach(HashSlots::checkFence);
    }
  }

  private static void checkFence(String key) {
    if (!hasTag(key) && (key.contains("{") || key.contains("}"))) {
      throw new IllegalArgumentException(
          "In a cluster a key with a brace but without a hash tag cannot be fenced, was "
              + LockKeys.escaped(key)
              + "; leave the braces out, or put what decides on the server into one pair of them");
    }
  }

  /** The fence key, in the slot of the lock key. */
  static String fence(String key) {
    return (hasTag(key) ? key : "{" + key + "}") + RedisNode.FENCE;
  }

  private static boolean hasTag(String key) {
    int open = key.indexOf('{');
    return open >= 0 && key.indexOf('}', open) > open + 1;
  }
}
