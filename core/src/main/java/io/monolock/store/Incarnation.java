// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.time.Duration;

/**
 * The server behind a store, and since when it has forgotten nothing.
 *
 * @param server equal for two stores that keep their locks in the same place
 * @param age for how long it has forgotten nothing, on its own clock
 */
public record Incarnation(String server, Duration age) {}
