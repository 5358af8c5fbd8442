// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Stands before a server and reads the commands that clients send to it, so that a test can refuse
 * some of them, as managed services and proxies of the real world do, or hold one back.
 *
 * <pre>{@code
 * CommandProxy.Rule withoutInfo =
 *     command ->
 *         command.get(0).equals("INFO")
 *             ? Optional.of("-ERR unknown command 'info'")
 *             : Optional.empty();
 * try (CommandProxy proxy = CommandProxy.before(server, () -> withoutInfo)) {
 *   RedisClient client = RedisClient.create(proxy.uri());
 * }
 * }</pre>
 *
 * <p>Commands and replies, push messages too, keep their order; a reply of the proxy comes after
 * those of the server to earlier commands. It speaks no TLS, and what is no command, as the stream
 * between a primary and its replica, must not go through it.
 */
public final class CommandProxy implements AutoCloseable {

  private final RedisServer server;
  private final Supplier<Rule> rules;
  private final ServerSocket listener;
  private final Set<CommandLink> links = ConcurrentHashMap.newKeySet();

  private CommandProxy(RedisServer server, Supplier<Rule> rules) throws IOException {
    this.server = server;
    this.rules = rules;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /** What becomes of the commands of a connection. */
  @FunctionalInterface
  public interface Rule {

    /**
     * Asked for each command, in the order of the connection. While it blocks, nothing goes from
     * this connection to the server; other connections go on.
     *
     * @param command its name in upper case, and its arguments
     * @return what the client is answered in place of the server, one line of RESP without its end,
     *     such as {@code -ERR unknown command}; empty to let the server answer
     */
    Optional<String> reply(List<String> command);
  }

  /**
   * Starts a proxy before a server.
   *
   * @param server the server, without TLS; it may stop and restart
   * @param rules gives each connection what decides on its commands
   * @return the proxy
   * @throws UncheckedIOException if no port is free
   */
  public static CommandProxy before(RedisServer server, Supplier<Rule> rules) {
    try {
      CommandProxy proxy = new CommandProxy(server, rules);
      CommandLink.start(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The address of the proxy in the form that clients take.
   *
   * @return a URI such as {@code redis://127.0.0.1:12345}
   */
  public String uri() {
    return "redis://" + Launcher.HOST + ":" + listener.getLocalPort();
  }

  /** Cuts all connections and frees the port. Closing again does nothing. */
  @Override
  public void close() {
    CommandLink.close(listener);
    links.forEach(CommandLink::close);
  }

  private void accept() throws IOException {
    while (!listener.isClosed()) {
      Socket client = listener.accept();
      CommandLink.start(() -> serve(client));
    }
  }

  private void serve(Socket client) throws IOException {
    try (client;
        Socket target = new Socket(server.host(), server.port())) {
      CommandLink link = new CommandLink(client, target, rules.get());
      links.add(link);
      try {
        link.run();
      } finally {
        links.remove(link);
      }
    }
  }
}
