// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import io.monolock.simulation.world.Keyspace.Entry;
import io.monolock.simulation.world.Keyspace.Fence;
import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of the library's scripts, written down anew: what each reads, checks and then writes,
 * in one step.
 */
final class Scripts {

  private final Server server;
  private final Keyspace data;

  Scripts(Server server) {
    this.server = server;
    this.data = server.data();
  }

  /**
   * Takes all keys or none.
   *
   * @param reader the connection that hears of changes of what was read, if it does
   */
  Grant acquire(
      LockKeys keys,
      String token,
      String metadata,
      Duration ttl,
      boolean fenced,
      @Nullable Connection reader) {
    boolean alone = keys.size() == 1 && !fenced;
    int ours = 0;
    long busy = -1;
    for (String key : keys.asList()) {
      Entry held = data.get(key);
      if (reader != null && (held != null || alone)) {
        data.track(key, reader);
      }
      if (held != null && held.token().equals(token)) {
        ours++;
      } else if (held != null) {
        busy = Math.max(busy, data.pttl(held));
      }
    }
    if (busy >= 0) {
      return new Grant.Busy(
          busy == Keyspace.NEVER ? Optional.empty() : Optional.of(Duration.ofMillis(busy)));
    }
    OptionalLong number =
        fenced ? OptionalLong.of(mint(keys, token, ours == keys.size())) : OptionalLong.empty();
    for (String key : keys.asList()) {
      Entry held = data.get(key);
      long pttl = held == null ? 0 : data.pttl(held);
      data.put(key, token, metadata, Math.max(pttl, ttl.toMillis()));
    }
    return new Grant.Granted(ours == 0, number);
  }

  /** The number of a repeated acquisition, or one above all that were given for these keys. */
  private long mint(LockKeys keys, String token, boolean mayRepeat) {
    boolean repeated = mayRepeat;
    long highest = 0;
    for (String key : keys.asList()) {
      Fence fence = data.fence(key);
      long last = fence == null ? 0 : fence.number();
      repeated &= fence != null && fence.token().equals(token);
      repeated &= highest == 0 || last == highest;
      highest = Math.max(highest, last);
    }
    long number = repeated ? highest : Math.max(highest + 1, server.micros());
    keys.asList().forEach(key -> data.fence(key, number, token));
    return number;
  }

  boolean extend(LockKeys keys, String token, Duration ttl) {
    if (!holdsAll(keys, token)) {
      return false;
    }
    for (String key : keys.asList()) {
      Entry held = data.get(key);
      if (held != null && data.pttl(held) < ttl.toMillis()) {
        data.put(key, held.token(), held.metadata(), ttl.toMillis());
      }
    }
    return true;
  }

  boolean release(LockKeys keys, String token, Duration keepFor) {
    if (!holdsAll(keys, token)) {
      return false;
    }
    for (String key : keys.asList()) {
      Entry held = data.get(key);
      if (keepFor.isZero()) {
        data.remove(key);
      } else if (held != null) {
        data.put(key, held.token(), held.metadata(), keepFor.toMillis());
      }
    }
    return true;
  }

  Duration remaining(LockKeys keys, String token) {
    if (!holdsAll(keys, token)) {
      return Duration.ZERO;
    }
    long shortest = Long.MAX_VALUE;
    for (String key : keys.asList()) {
      Entry held = data.get(key);
      shortest = Math.min(shortest, held == null ? 0 : data.pttl(held));
    }
    return Duration.ofMillis(shortest == Keyspace.NEVER ? 0 : shortest);
  }

  /** The hand-over alone; empty unless the first token holds every key. */
  @Nullable Grant transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    if (!holdsAll(keys, from)) {
      return null;
    }
    OptionalLong number = fenced ? OptionalLong.of(mint(keys, to, false)) : OptionalLong.empty();
    keys.asList().forEach(key -> data.put(key, to, metadata, ttl.toMillis()));
    return new Grant.Granted(true, number);
  }

  boolean raiseFence(LockKeys keys, String token, long number) {
    if (!holdsAll(keys, token)) {
      return false;
    }
    for (String key : keys.asList()) {
      Fence fence = data.fence(key);
      if (fence == null || fence.number() < number) {
        data.fence(key, number, token);
      }
    }
    return true;
  }

  @Nullable Holder inspect(String key) {
    Entry held = data.get(key);
    if (held == null) {
      return null;
    }
    boolean isLock = held.token().length() == 22;
    long pttl = data.pttl(held);
    return new Holder(
        key,
        isLock ? Optional.of(held.metadata()) : Optional.empty(),
        pttl == Keyspace.NEVER ? Optional.empty() : Optional.of(Duration.ofMillis(pttl)));
  }

  boolean forceRelease(String key) {
    boolean held = data.get(key) != null;
    if (held) {
      data.remove(key);
    }
    return held;
  }

  private boolean holdsAll(LockKeys keys, String token) {
    for (String key : keys.asList()) {
      Entry held = data.get(key);
      if (held == null || !held.token().equals(token)) {
        return false;
      }
    }
    return true;
  }
}
