// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.LockOptions;
import io.monolock.simulation.Instance;
import io.monolock.simulation.world.World;
import io.monolock.store.LockKeys;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One subscription to something of the library's, and what it was signalled. */
public final class Call {

  /** What was subscribed to. */
  public enum Kind {
    ACQUIRE,
    TRY_ACQUIRE,
    SCOPE,
    ATTACH,
    EXTEND,
    RELEASE,
    TTL,
    KEEP_ALIVE,
    WHILE_HELD,
    INSPECT,
    FORCE_RELEASE,
    CLOSE
  }

  final Kind kind;
  final Instance instance;
  final LockKeys keys;
  final LockOptions options;
  final @Nullable Handle handle;
  final long longestPause;
  final List<Object> values = new ArrayList<>();
  long askedAt;
  long askedOrder;
  boolean cancelled;
  boolean waits;

  /** Those that had to wait when a single attempt was asked for. */
  List<Call> overtaken = List.of();

  boolean completed;
  @Nullable Throwable error;
  @Nullable BodyRun body;
  long freeSeen = World.NEVER;

  /**
   * A call that is not subscribed yet.
   *
   * @param handle the handle it was made on, null if on a locker
   * @param longestPause the longest pause of its retry spec in nanoseconds
   */
  public Call(
      Kind kind,
      Instance instance,
      LockKeys keys,
      LockOptions options,
      @Nullable Handle handle,
      long longestPause) {
    this.kind = kind;
    this.instance = instance;
    this.keys = keys;
    this.options = options;
    this.handle = handle;
    this.longestPause = longestPause;
  }

  /** What it is. */
  public Kind kind() {
    return kind;
  }

  /** The locker has said that it has to wait. */
  public void waits() {
    waits = true;
  }

  boolean isOver() {
    return completed || error != null || cancelled;
  }

  boolean wantsLock() {
    return kind == Kind.ACQUIRE || kind == Kind.SCOPE;
  }

  boolean hasLock() {
    return body != null || !values.isEmpty();
  }

  /** Whether it stands in a line of its locker. */
  boolean isInLine() {
    return wantsLock()
        && !isOver()
        && !hasLock()
        && options.token().isEmpty()
        && !options.waitAtMost().isZero();
  }

  boolean isInLineOf(Call other) {
    return instance.equals(other.instance) && keys.equals(other.keys) && isInLine();
  }

  String outcome() {
    return (cancelled ? " cancelled" : error != null ? " " + error : " ended") + values;
  }

  @Override
  public String toString() {
    return kind + " #" + askedOrder + " " + keys + " in " + instance;
  }
}
