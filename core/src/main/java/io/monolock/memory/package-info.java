// SPDX-License-Identifier: Apache-2.0
/**
 * A store without a server: for tests, and for programs that run in one process only.
 *
 * <p>{@link io.monolock.memory.InMemoryLockStore} keeps its locks in the memory of this JVM. It
 * passes the same contract as the stores that talk to Redis, so that what was tested with it
 * behaves alike in production. Its clock can be a virtual one.
 */
@NullMarked
package io.monolock.memory;

import org.jspecify.annotations.NullMarked;
