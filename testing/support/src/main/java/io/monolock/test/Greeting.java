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

/** What a server says of itself once it answers: its process id, version, and if it loads data. */
record Greeting(long pid, String version, boolean isLoading) {

  private static final int TIMEOUT_MILLIS = 1_000;

  private static final String QUESTIONS =
      "AUTH %s %s\r\nPING\r\nINFO server\r\n"
          .formatted(ControlConnection.USER, ControlConnection.USER);

  /** Asks once; empty if nobody listens there or the server is not ready for commands. */
  static Optional<Greeting> of(SocketFactory sockets, String host, int port) {
    try (Socket socket = sockets.createSocket()) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
      socket.getOutputStream().write(QUESTIONS.getBytes(StandardCharsets.US_ASCII));
      BufferedReader answers =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      String toAuth = answers.readLine();
      String toPing = answers.readLine();
      if (!"+OK".equals(toAuth) || toPing == null) {
        return Optional.empty();
      }
      boolean isLoading = toPing.startsWith("-LOADING");
      return isLoading || "+PONG".equals(toPing)
          ? Optional.of(read(answers, isLoading))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Greeting read(BufferedReader answers, boolean isLoading) throws IOException {
    Map<String, String> fields = new HashMap<>();
    while (!fields.containsKey("redis_version") || !fields.containsKey("process_id")) {
      String line = answers.readLine();
      if (line == null) {
        throw new IOException("The server ended its answer early");
      }
      String[] field = line.split(":", 2);
      if (field.length == 2) {
        fields.put(field[0], field[1]);
      }
    }
    return new Greeting(
        Long.parseLong(fields.getOrDefault("process_id", "")),
        fields.getOrDefault("redis_version", ""),
        isLoading);
  }
}
