// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.List;

/**
 * A slot on its way from one master of a {@link RedisCluster} to another, step by step.
 *
 * <p>At first the slot becomes {@code MIGRATING} at the old owner and {@code IMPORTING} at the new
 * one: the old owner still serves the keys that it has, and redirects clients of other keys to the
 * new one with {@code ASK}. While a command needs keys of both, the answer is {@code TRYAGAIN};
 * before version 7 only the new one gives it. A test may stop after each step; nothing goes on by
 * itself.
 *
 * <pre>{@code
 * SlotMigration migration = cluster.beginMigration(cluster.slotOf("{a}1"), target);
 * migration.moveKey("{a}1");
 * // what does a client of {a}1 and {a}2 see?
 * migration.finish();
 * }</pre>
 *
 * <p>Neither master should fail before {@link #finish()}.
 */
public final class SlotMigration {

  private static final int ALL = 1_000_000;
  private static final String MILLIS = "5000";

  private final RedisCluster cluster;
  private final int slot;
  private final ServerNode source;
  private final ServerNode target;

  private SlotMigration(RedisCluster cluster, int slot, ServerNode source, ServerNode target) {
    this.cluster = cluster;
    this.slot = slot;
    this.source = source;
    this.target = target;
  }

  static SlotMigration begin(RedisCluster cluster, int slot, ServerNode target) {
    ServerNode source = cluster.ownerOf(slot);
    if (source == target) {
      throw new IllegalArgumentException("target must not own the slot yet, was " + target);
    }
    SlotMigration migration = new SlotMigration(cluster, slot, source, target);
    migration.setSlot(target, "IMPORTING", cluster.idOf(source));
    migration.setSlot(source, "MIGRATING", cluster.idOf(target));
    return migration;
  }

  /**
   * The slot that moves.
   *
   * @return 0 to 16383
   */
  public int slot() {
    return slot;
  }

  /**
   * The owner at the beginning.
   *
   * @return the node
   */
  public ServerNode source() {
    return source;
  }

  /**
   * The owner at the end.
   *
   * @return the node
   */
  public ServerNode target() {
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
   * Moves one key, with its time to live, atomically. Does nothing if the old owner does not have
   * it.
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
    // the new owner first, or the slot would have none for a moment
    setSlot(target, "NODE", owner);
    setSlot(source, "NODE", owner);
    cluster.awaitOwner(slot, target);
  }

  private void setSlot(ServerNode node, String state, String other) {
    node.server().command("CLUSTER", "SETSLOT", "" + slot, state, other);
  }
}
