// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.SocketFactory;

/** The process id and the version of a server that replies, and whether it still loads data. */
record ServerStatus(long pid, String version, boolean isLoading) {

  private static final int TIMEOUT_MILLIS = 1_000;

  private static final String COMMANDS =
      "AUTH %s %s\r\nPING\r\nINFO server\r\n"
          .formatted(ControlConnection.USER, ControlConnection.USER);

  /** Queries a server once; empty if none listens there or it is not ready for commands. */
  static Optional<ServerStatus> of(SocketFactory sockets, String host, int port) {
    try (Socket socket = sockets.createSocket()) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
      socket.getOutputStream().write(COMMANDS.getBytes(StandardCharsets.US_ASCII));
      BufferedReader replies =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      String authReply = replies.readLine();
      String pingReply = replies.readLine();
      if (!"+OK".equals(authReply) || pingReply == null) {
        return Optional.empty();
      }
      boolean isLoading = pingReply.startsWith("-LOADING");
      return isLoading || "+PONG".equals(pingReply)
          ? Optional.of(read(replies, isLoading))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static ServerStatus read(BufferedReader replies, boolean isLoading) throws IOException {
    Map<String, String> fields = new HashMap<>();
    while (!fields.containsKey("redis_version") || !fields.containsKey("process_id")) {
      String line = replies.readLine();
      if (line == null) {
        throw new IOException("The server ended its answer early");
      }
      String[] field = line.split(":", 2);
      if (field.length == 2) {
        fields.put(field[0], field[1]);
      }
    }
    return new ServerStatus(
        Long.parseLong(fields.getOrDefault("process_id", "")),
        fields.getOrDefault("redis_version", ""),
        isLoading);
  }
}
