// SPDX-License-Identifier: Apache-2.0
/**
 * A store without a server: for tests, and for programs that run in one process only.
 *
 * <p>{@link io.monolock.memory.InMemoryLockStore} keeps its locks in a map of this JVM; {@code
 * Waiters}, the second class, wakes waiters when a key is freed or expires. The idea: <em>a call is
 * one step under one monitor</em>, and subscribers are signalled after the monitor was left.
 *
 * <p>The store passes the same contract as the stores that talk to Redis, so what was tested with
 * it behaves alike in production. Its clock can be a virtual one.
 */
@NullMarked
package io.monolock.memory;

import org.jspecify.annotations.NullMarked;
