// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.List;

/**
 * A slot on its way from one master of a {@link RedisCluster} to another, step by step.
 *
 * <p>It begins with the old owner being told that the slot is {@code MIGRATING}, and the new one
 * that it is {@code IMPORTING}: keys that are there are still served by the old owner, which sends
 * clients that ask for others to the new one with {@code ASK}. While some keys of a command are
 * here and some there, the answer is {@code TRYAGAIN}; before version 7 only that of the new one. A
 * test may stop after each step; nothing goes on by itself.
 *
 * <pre>{@code
 * SlotMigration migration = cluster.beginMigration(cluster.slotOf("{a}1"), target);
 * migration.moveKey("{a}1");
 * // what does a client see that asks for {a}1 and {a}2?
 * migration.finish();
 * }</pre>
 *
 * <p>Neither master should fail before the end.
 */
public final class SlotMigration {

  private static final int ALL = 1_000_000;
  private static final String MILLIS = "5000";

  private final RedisCluster cluster;
  private final int slot;
  private final RedisNode source;
  private final RedisNode target;

  private SlotMigration(RedisCluster cluster, int slot, RedisNode source, RedisNode target) {
    this.cluster = cluster;
    this.slot = slot;
    this.source = source;
    this.target = target;
  }

  static SlotMigration begin(RedisCluster cluster, int slot, RedisNode target) {
    RedisNode source = cluster.ownerOf(slot);
    if (source == target) {
      throw new IllegalArgumentException("target must not own the slot yet, was " + target);
    }
    SlotMigration migration = new SlotMigration(cluster, slot, source, target);
    migration.tell(target, "IMPORTING", cluster.idOf(source));
    migration.tell(source, "MIGRATING", cluster.idOf(target));
    return migration;
  }

  /**
   * Which slot moves.
   *
   * @return 0 to 16383
   */
  public int slot() {
    return slot;
  }

  /**
   * Who owned the slot in the beginning.
   *
   * @return the node
   */
  public RedisNode source() {
    return source;
  }

  /**
   * Who will own the slot in the end.
   *
   * @return the node
   */
  public RedisNode target() {
    return target;
  }

  /**
   * The keys of the slot that the old owner still has.
   *
   * @return their names, sorted
   */
  public List<String> keysLeft() {
    return source.server().command("CLUSTER", "GETKEYSINSLOT", "" + slot, "" + ALL)
            instanceof List<?> keys
        ? keys.stream().map(String::valueOf).sorted().toList()
        : List.of();
  }

  /**
   * Moves one key, with its time to live, in one step that nobody sees the middle of. Does nothing
   * if the old owner does not have it.
   *
   * @param key the key
   * @throws IllegalArgumentException if the key is of another slot
   */
  public void moveKey(String key) {
    if (cluster.slotOf(key) != slot) {
      throw new IllegalArgumentException(
          "key must be of slot %d, was %s of slot %d".formatted(slot, key, cluster.slotOf(key)));
    }
    String user = ControlConnection.USER;
    RedisServer to = target.server();
    source
        .server()
        .command("MIGRATE", to.host(), "" + to.port(), key, "0", MILLIS, "AUTH2", user, user);
  }

  /** Moves all keys that are left, one after the other. */
  public void moveKeys() {
    keysLeft().forEach(this::moveKey);
  }

  /**
   * Moves the keys that are left, makes the target the owner, and waits until all nodes know it.
   *
   * @throws IllegalStateException if they do not within 30 seconds
   */
  public void finish() {
    moveKeys();
    String owner = cluster.idOf(target);
    // the new owner first, or nobody would be it for a moment
    tell(target, "NODE", owner);
    tell(source, "NODE", owner);
    cluster.awaitOwner(slot, target);
  }

  private void tell(RedisNode node, String state, String other) {
    node.server().command("CLUSTER", "SETSLOT", "" + slot, state, other);
  }
}
