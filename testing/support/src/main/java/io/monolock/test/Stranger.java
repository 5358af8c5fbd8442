// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Listens where a client expects a server, and is none: it keeps what it is sent, and either says
 * nothing or always the same.
 */
public final class Stranger implements AutoCloseable {

  private final ServerSocket listener;
  private final byte[] answer;
  private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
  private final StringBuilder received = new StringBuilder(); // guarded by itself

  private Stranger(byte[] answer) throws IOException {
    this.answer = answer.clone();
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /**
   * One that accepts connections and never says anything, as a server does that hangs.
   *
   * @return the listener
   * @throws UncheckedIOException if no port is free
   */
  public static Stranger silent() {
    return answering(new byte[0]);
  }

  /**
   * One that answers the first bytes of each connection and hangs up.
   *
   * @param answer what it says; with none it says nothing and stays
   * @return the listener
   * @throws UncheckedIOException if no port is free
   */
  public static Stranger answering(byte[] answer) {
    try {
      Stranger stranger = new Stranger(answer);
      CommandLink.start(stranger::accept);
      return stranger;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The address that it listens on.
   *
   * @return always {@code 127.0.0.1}
   */
  public String host() {
    return Launcher.HOST;
  }

  /**
   * The port that it listens on.
   *
   * @return the port, 1 to 65535
   */
  public int port() {
    return listener.getLocalPort();
  }

  /**
   * All that clients have sent so far, of all connections as it came.
   *
   * @return the bytes as ISO 8859-1
   */
  public String received() {
    synchronized (received) {
      return received.toString();
    }
  }

  /** Cuts all connections and frees the port. Closing again does nothing. */
  @Override
  public void close() {
    CommandLink.close(listener);
    clients.forEach(CommandLink::close);
  }

  private void accept() throws IOException {
    while (!listener.isClosed()) {
      Socket client = listener.accept();
      clients.add(client);
      CommandLink.start(() -> hear(client));
    }
  }

  private void hear(Socket client) throws IOException {
    byte[] buffer = new byte[4_096];
    try (client) {
      InputStream requests = client.getInputStream();
      for (int read = requests.read(buffer); read >= 0; read = requests.read(buffer)) {
        synchronized (received) {
          received.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
        }
        if (answer.length > 0) {
          client.getOutputStream().write(answer);
          return;
        }
      }
    } finally {
      clients.remove(client);
    }
  }
}
