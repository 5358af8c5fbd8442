// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.lettuce.core.RedisException;
import org.jspecify.annotations.Nullable;

/**
 * One server of a topology, and the proxy before it, if clients connect through one.
 *
 * <p>The server can be killed, paused and queried as any other. The address is the one that clients
 * see: of the proxy if there is one.
 */
public final class ServerNode {

  private static final int PORT_ATTEMPTS = 10;

  private final RedisServer server;
  private final @Nullable FaultProxy proxy;

  private ServerNode(RedisServer server, @Nullable FaultProxy proxy) {
    this.server = server;
    this.proxy = proxy;
  }

  /** Adds the settings of a server that listens on one port and announces another. */
  interface Announcement {

    Announcement NONE = (builder, ownPort, knownPort) -> {};

    void add(RedisServer.Builder builder, int ownPort, int knownPort);
  }

  /** Starts a server of a kind on a free port, behind a proxy of its own if asked for. */
  static ServerNode start(
      RedisServer.Builder kind, boolean behindProxy, Announcement announcement) {
    for (int attempt = 1; attempt < PORT_ATTEMPTS; attempt++) {
      try {
        return startOn(Ports.freeWithBus(), kind.copy(), behindProxy, announcement);
      } catch (PortTakenException e) {
        // another process has taken the port
      }
    }
    return startOn(Ports.freeWithBus(), kind.copy(), behindProxy, announcement);
  }

  private static ServerNode startOn(
      int port, RedisServer.Builder builder, boolean behindProxy, Announcement announcement) {
    FaultProxy proxy = behindProxy ? FaultProxy.before(Launcher.HOST, port) : null;
    announcement.add(builder, port, proxy == null ? port : proxy.port());
    try {
      return new ServerNode(builder.port(port).start(), proxy);
    } catch (RuntimeException e) {
      if (proxy != null) {
        proxy.close();
      }
      throw e;
    }
  }

  /**
   * The server itself.
   *
   * @return the server
   */
  public RedisServer server() {
    return server;
  }

  /**
   * The proxy that clients connect through.
   *
   * @return the proxy
   * @throws IllegalStateException if the servers were started without proxies
   */
  public FaultProxy proxy() {
    if (proxy == null) {
      throw new IllegalStateException(this + " must be behind a proxy, was not");
    }
    return proxy;
  }

  /**
   * The host that clients connect to.
   *
   * @return always {@code 127.0.0.1}
   */
  public String host() {
    return server.host();
  }

  /**
   * The port that clients connect to; a restart does not change it.
   *
   * @return the port of the proxy, if there is one, else that of the server
   */
  public int port() {
    return proxy == null ? server.port() : proxy.port();
  }

  /**
   * The address in the form that clients take.
   *
   * @return a URI such as {@code redis://127.0.0.1:12345}, or {@code rediss:} for TLS
   */
  public String uri() {
    return server.transport().uri(host(), port());
  }

  /** Names the node by the port that clients know. */
  @Override
  public String toString() {
    return "Redis on port " + port();
  }

  /** Ends the faults, resumes the server, and starts it again if it does not answer. */
  void wake() {
    if (proxy != null) {
      proxy.reset();
    }
    server.resume();
    if (!answers()) {
      server.kill();
      server.restart();
    }
  }

  void close() {
    if (proxy != null) {
      proxy.close();
    }
    server.close();
  }

  private boolean answers() {
    try {
      return server.isRunning() && "PONG".equals(server.command("PING"));
    } catch (RedisException e) {
      return false;
    }
  }
}
