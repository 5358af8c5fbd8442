// SPDX-License-Identifier: Apache-2.0

/**
 * Real Redis servers for tests, started in milliseconds without Docker or an installed Redis, and
 * faults for them and their clients.
 *
 * <p>Read {@link io.monolock.test.RedisServer} first. It is one server: a process with its own
 * folder and port that can be killed, paused and restarted, and that takes commands as {@code
 * redis-cli} sends them. {@link io.monolock.test.RedisExtension} gives each JUnit test class a
 * server and shows its log when a test fails. A server uses TLS if its builder says so; {@link
 * io.monolock.test.Certificates} are for it and its clients.
 *
 * <p>Topologies of several servers start within two seconds, on request behind proxies. {@link
 * io.monolock.test.ServerNode} is one server of them, and {@link io.monolock.test.RedisSetup}
 * configures which ones the extension starts:
 *
 * <ul>
 *   <li>{@link io.monolock.test.RedisCluster} is a cluster of three masters and three replicas, to
 *       kill and to fail over; a {@link io.monolock.test.SlotMigration} moves a slot step by step;
 *   <li>{@link io.monolock.test.RedisSentinels} are a master and two replicas under three
 *       sentinels;
 *   <li>{@link io.monolock.test.RedisMasters} are independent servers.
 * </ul>
 *
 * <p>Faults begin at a moment that the test chooses:
 *
 * <ul>
 *   <li>{@link io.monolock.test.FaultProxy} is a bad network in front of a server. It keeps a
 *       {@code ProxyConnection} for each client, with a {@code DelayedWriter} for each direction
 *       and a {@code ReplyGate} for held replies; a {@link io.monolock.test.CommandProxy} refuses
 *       or holds single commands, and a {@link io.monolock.test.Stranger} listens where a server is
 *       expected;
 *   <li>{@link io.monolock.test.ReplicaPair} is a primary and its replica, whose replication can be
 *       cut and whose roles can change;
 *   <li>{@link io.monolock.test.RedisServer} itself becomes busy, slow to load, or short of a
 *       resource by a setting;
 *   <li>{@link io.monolock.test.ClientJvm} is a client in another JVM that is frozen or killed;
 *   <li>{@link io.monolock.test.LatePublisher} signals after it was cancelled, and {@link
 *       io.monolock.test.Race} runs two actions against each other.
 * </ul>
 *
 * <p>Assertions use {@link io.monolock.test.CommandRecorder}, the commands that reached a server,
 * {@link io.monolock.test.KeyScanner}, the keys that are left, {@link
 * io.monolock.test.DroppedSignals}, which fails a test that made Reactor drop a signal, and {@link
 * io.monolock.test.CapturedLog}. Programs use {@link io.monolock.test.CommandLineProgram} and
 * {@link io.monolock.test.ClassPath}.
 *
 * <p>The server's binary comes from a Maven artifact: Redis 7.0, or 6.2 if the system property
 * {@code monolock.redis} or a test says so. Or it comes from the environment variable {@code
 * MONOLOCK_REDIS_SERVER}, if that holds the path of a {@code redis-server} or {@code
 * valkey-server}, for all servers without a chosen version. The {@code Launcher} starts its
 * processes; the {@code Reaper} ends them, and deletes their folders, at the latest when the JVM
 * that started them ends, even if it is killed.
 */
@NullMarked
package io.monolock.test;

import org.jspecify.annotations.NullMarked;
