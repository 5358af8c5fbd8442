// SPDX-License-Identifier: Apache-2.0

/**
 * Real Redis servers for tests, started in milliseconds without Docker or an installed Redis.
 *
 * <p>{@link io.monolock.test.RedisServer} is one server: a process with its own folder and port
 * that can be killed, paused and restarted, and asked with commands like those of {@code
 * redis-cli}. {@link io.monolock.test.RedisExtension} gives each JUnit test class a server and
 * shows its log when a test fails.
 *
 * <p>The server's binary comes from a Maven artifact, or from the environment variable {@code
 * MONOLOCK_REDIS_SERVER} if that holds the path of a {@code redis-server} or {@code valkey-server}.
 * Servers and their folders never outlive the JVM that started them, even when it is killed.
 */
@NullMarked
package io.monolock.test;

import org.jspecify.annotations.NullMarked;
