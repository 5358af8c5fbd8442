// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.time.Duration;

/**
 * Which place it is that answers, and since when it has forgotten nothing.
 *
 * @param server the same for two stores whose locks are kept in the same place
 * @param memory differs as soon as the place may have forgotten what it kept, as after a restart
 * @param age how long ago it began to keep what it keeps now
 */
public record Incarnation(String server, String memory, Duration age) {}
