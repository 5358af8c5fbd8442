// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.time.Duration;
import java.util.Optional;

/**
 * The holder of a key, as an observer may see it. The token is never part of it.
 *
 * @param key the key
 * @param metadata what the holder stored behind its token, {@code ""} when nothing; empty when the
 *     value is not that of a lock of this layout
 * @param remaining how long the key still lives, empty for a key that never expires
 * @param isLock whether it is a lock, of this library or of another client, and not data of an
 *     application: a text that has a time to live or begins with a token
 */
public record Holder(
    String key, Optional<String> metadata, Optional<Duration> remaining, boolean isLock) {

  /**
   * A holder of which only this is known: it is a lock if it has metadata or a time to live.
   *
   * @param key the key
   * @param metadata what the holder stored behind its token
   * @param remaining how long the key still lives
   */
  public Holder(String key, Optional<String> metadata, Optional<Duration> remaining) {
    this(key, metadata, remaining, metadata.isPresent() || remaining.isPresent());
  }
}
