// SPDX-License-Identifier: Apache-2.0

/**
 * Real Redis servers for tests, started in milliseconds without Docker or an installed Redis.
 *
 * <p>{@link io.monolock.test.RedisServer} is one server: a process with its own folder and port
 * that can be killed, paused and restarted, and asked with commands like those of {@code
 * redis-cli}. {@link io.monolock.test.RedisExtension} gives each JUnit test class a server and
 * shows its log when a test fails.
 *
 * <p>A server speaks TLS if its builder says so; {@link io.monolock.test.Certificates} are what it
 * and its clients then know each other by.
 *
 * <p>Where one server is not enough, each in two seconds, and behind proxies if asked for:
 *
 * <ul>
 *   <li>{@link io.monolock.test.RedisCluster} is a cluster of three masters and three replicas, to
 *       kill and to fail over; a {@link io.monolock.test.SlotMigration} moves a slot step by step;
 *   <li>{@link io.monolock.test.RedisSentinels} are a master and two replicas under three
 *       sentinels;
 *   <li>{@link io.monolock.test.RedisMasters} are servers that know nothing of each other;
 *   <li>{@link io.monolock.test.RedisNode} is one server of these, and {@link
 *       io.monolock.test.RedisSetup} says of which kind the extension starts them.
 * </ul>
 *
 * <p>What goes wrong between clients and servers, at a moment that the test chooses:
 *
 * <ul>
 *   <li>{@link io.monolock.test.FaultProxy} is a bad network in front of a server, {@link
 *       io.monolock.test.CommandProxy} one that refuses commands, and {@link
 *       io.monolock.test.Stranger} listens where a server is expected;
 *   <li>{@link io.monolock.test.ReplicaPair} is a primary and its replica that lose touch and
 *       change roles;
 *   <li>{@link io.monolock.test.RedisServer} itself becomes busy, slow to load, or short of what a
 *       setting takes from it;
 *   <li>{@link io.monolock.test.ClientJvm} is a client in another JVM that is frozen or killed;
 *   <li>{@link io.monolock.test.LatePublisher} signals after it was cancelled, and {@link
 *       io.monolock.test.Race} lets two actions meet.
 * </ul>
 *
 * <p>What tells whether all went well: {@link io.monolock.test.CommandRecorder} shows the commands
 * that reached a server, {@link io.monolock.test.KeyScanner} the keys that are left, and {@link
 * io.monolock.test.DroppedSignals} fails a test that made Reactor drop a signal.
 *
 * <p>The server's binary comes from a Maven artifact: Redis 7.0, or 6.2 if the system property
 * {@code monolock.redis} or a test says so. Or it comes from the environment variable {@code
 * MONOLOCK_REDIS_SERVER}, if that holds the path of a {@code redis-server} or {@code
 * valkey-server}, for all servers of which no version was chosen. Servers and their folders never
 * outlive the JVM that started them, even when it is killed.
 */
@NullMarked
package io.monolock.test;

import org.jspecify.annotations.NullMarked;
