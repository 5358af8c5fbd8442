// SPDX-License-Identifier: Apache-2.0
/**
 * Locks in Redis, over Lettuce.
 *
 * <p>{@link io.monolock.redis.RedisLockStore} is the only public type. The idea of the package:
 * <em>each call of the store is one Lua script, sent once</em>. A script is atomic on the server
 * and can be repeated with the same token. Sending again is left to the engine, which knows whether
 * the caller still waits; so nothing here buffers a command over a reconnect as Lettuce does by
 * default. The scripts are the {@code .lua} files beside these classes, and each begins with what
 * it takes, does and answers.
 *
 * <p>In which order to read it:
 *
 * <ol>
 *   <li>{@code acquire.lua} and {@code release.lua}, then {@code RedisLockStore}, whose methods map
 *       arguments and answers of the scripts;
 *   <li>{@code ScriptCall}, one run of a {@code LuaScript} for one subscriber: it asks its {@code
 *       Route} for a connection, sends, and follows the route when it cannot connect or is
 *       redirected;
 *   <li>the connections: {@code PipelinedConnection} shares one among many calls and coalesces
 *       their packets; {@code ReconnectingConnection} opens it, for calls that wait in their order
 *       ({@code Awaited}), and replaces it when it is lost or silent, preparing each new one with
 *       {@code VersionCheck} or {@code ClientTracking}; {@code Confirmations} lets one {@code WAIT}
 *       stand for many grants that need {@code Replicas};
 *   <li>the servers: a {@code Topology} is either one {@code RedisNode}, which a {@code
 *       ConnectionFactory} finds ({@code PrimaryFinder}, {@code SentinelConnectionFactory}), or a
 *       {@code ClusterTopology} of one node for each master, with {@code HashSlots} and {@code
 *       Redirection};
 *   <li>{@code WakeUps} and {@code ClientTracking}: how the server notifies waiters;
 *   <li>{@code ErrorMapping}, the table of what each error means for a lock.
 * </ol>
 *
 * <p>Calls signal in threads of Lettuce; pauses and time limits have one thread of their own,
 * {@code Delays}. Nothing here blocks a thread, except that of {@code boundedElastic} which {@link
 * io.monolock.redis.RedisLockStore#create(io.lettuce.core.RedisClient)} borrows to connect.
 */
@NullMarked
package io.monolock.redis;

import org.jspecify.annotations.NullMarked;
