// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.time.Duration;
import java.util.Optional;

/**
 * Who holds a key, as far as an onlooker may know. The token is never part of it.
 *
 * @param key the key that was asked for
 * @param metadata what the holder stored behind its token, {@code ""} when nothing; empty when the
 *     value is not that of a lock of this layout
 * @param remaining how long the key still lives, empty for a key that never expires
 */
public record Holder(String key, Optional<String> metadata, Optional<Duration> remaining) {}
