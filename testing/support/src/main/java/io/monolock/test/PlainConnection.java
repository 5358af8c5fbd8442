// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A connection to a server for commands that no client has a method for; it reads lines. */
final class PlainConnection implements AutoCloseable {

  private final Socket socket;
  private final BufferedReader lines;

  private PlainConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.lines =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
  }

  /** Connects as the user that may run all commands. */
  static PlainConnection to(RedisServer server) {
    try {
      PlainConnection connection =
          new PlainConnection(server.sockets().createSocket(server.host(), server.port()));
      connection.send("AUTH", ControlConnection.USER, ControlConnection.USER);
      String reply = connection.readLine();
      if (!"+OK".equals(reply)) {
        connection.close();
        throw new IllegalStateException("AUTH must be answered with +OK, was " + reply);
      }
      return connection;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void send(String... words) {
    StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      int length = word.getBytes(StandardCharsets.UTF_8).length;
      request.append('$').append(length).append("\r\n").append(word).append("\r\n");
    }
    try {
      socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next line; null once the connection is closed, on whichever side. */
  @Nullable String readLine() {
    try {
      return lines.readLine();
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
