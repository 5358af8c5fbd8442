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
 */
public record Holder(String key, Optional<String> metadata, Optional<Duration> remaining) {}
