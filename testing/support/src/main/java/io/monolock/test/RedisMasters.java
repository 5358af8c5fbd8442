// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.List;

/**
 * Independent servers without replication between them, as a quorum needs them.
 *
 * <p>They can be killed, paused and restarted one by one; a restart loses what a server had, unless
 * the builder said {@linkplain RedisServer.Builder#persistent() otherwise}. Ready in some tens of
 * milliseconds each.
 *
 * <pre>{@code
 * try (RedisMasters masters = RedisMasters.start(3)) {
 *   masters.node(0).server().kill();
 *   // what do two of three say?
 *   masters.node(0).server().restart();
 * }
 * }</pre>
 */
public final class RedisMasters implements AutoCloseable {

  private final NodeGroup group;

  private RedisMasters(NodeGroup group) {
    this.group = group;
  }

  /**
   * Starts servers with the default settings and waits until they answer.
   *
   * @param count how many, 1 or more
   * @return the running servers
   * @throws IllegalStateException if one of them does not start; the others are ended
   */
  public static RedisMasters start(int count) {
    return start(count, RedisServer.builder());
  }

  /**
   * Starts servers of a kind and waits until they answer.
   *
   * @param count how many, 1 or more
   * @param kind the settings of each; its port must be the default
   * @return the running servers
   * @throws IllegalStateException if one of them does not start; the others are ended
   */
  public static RedisMasters start(int count, RedisServer.Builder kind) {
    return start(count, kind, false);
  }

  /**
   * Starts servers with the default settings, each behind a proxy of its own, and waits until they
   * answer.
   *
   * @param count how many, 1 or more
   * @return the running servers
   * @throws IllegalStateException if one of them does not start; the others are ended
   */
  public static RedisMasters startBehindProxies(int count) {
    return startBehindProxies(count, RedisServer.builder());
  }

  /**
   * Starts servers of a kind, each behind a proxy of its own, and waits until they answer.
   *
   * @param count how many, 1 or more
   * @param kind the settings of each; its port must be the default
   * @return the running servers
   * @throws IllegalStateException if one of them does not start; the others are ended
   */
  public static RedisMasters startBehindProxies(int count, RedisServer.Builder kind) {
    return start(count, kind, true);
  }

  private static RedisMasters start(int count, RedisServer.Builder kind, boolean behindProxies) {
    if (count < 1) {
      throw new IllegalArgumentException("count must be 1 or more, was " + count);
    }
    return new RedisMasters(
        NodeGroup.started(
            behindProxies,
            group -> {
              for (int i = 0; i < count; i++) {
                group.start(kind, ServerNode.Announcement.NONE);
              }
            }));
  }

  /**
   * The servers, in an order that stays.
   *
   * @return all servers that were started, running or not
   */
  public List<ServerNode> nodes() {
    return group.nodes();
  }

  /**
   * One of the servers.
   *
   * @param index which one, 0 for the first
   * @return the server
   */
  public ServerNode node(int index) {
    return group.nodes().get(index);
  }

  /**
   * The addresses of all servers, or of their proxies if there are any.
   *
   * @return one URI such as {@code redis://127.0.0.1:12345} for each server
   */
  public List<String> uris() {
    return group.uris();
  }

  /** Ends the servers and their proxies. Closing again does nothing. */
  @Override
  public void close() {
    group.close();
  }

  List<RedisServer> servers() {
    return group.servers();
  }

  /** Makes all servers as good as new ones. */
  void reset() {
    group.nodes().forEach(ServerNode::wake);
    servers().forEach(RedisServer::reset);
  }
}
