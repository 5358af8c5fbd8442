// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A client that sends lines and reads lines, and shows every byte and every end of a connection.
 */
final class PlainClient implements AutoCloseable {

  private static final int PATIENCE_MILLIS = 5_000;

  private final Socket socket = new Socket();

  PlainClient(int port) throws IOException {
    socket.setTcpNoDelay(true);
    socket.connect(new InetSocketAddress("127.0.0.1", port), PATIENCE_MILLIS);
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  void send(String line) throws IOException {
    socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
  }

  /** The next line without its end; null once the other side has closed the connection. */
  String readLine() throws IOException {
    StringBuilder line = new StringBuilder();
    try {
      for (int next = socket.getInputStream().read(); next >= 0; ) {
        if (next == '\n') {
          return line.toString();
        }
        if (next != '\r') {
          line.append((char) next);
        }
        next = socket.getInputStream().read();
      }
      return null;
    } catch (SocketException e) {
      return null;
    }
  }

  String ask(String line) throws IOException {
    send(line);
    return readLine();
  }

  /** Whether nothing arrives, not even an end, for that time. */
  boolean hearsNothingFor(Duration time) throws IOException {
    socket.setSoTimeout((int) time.toMillis());
    try {
      socket.getInputStream().read();
      return false;
    } catch (SocketTimeoutException e) {
      return true;
    } finally {
      socket.setSoTimeout(PATIENCE_MILLIS);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
