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

/** What a server says of itself once it answers: its process id and version. */
record Greeting(long pid, String version) {

  private static final int TIMEOUT_MILLIS = 1_000;

  /** Asks once; empty if nobody listens there or the server is not ready for commands. */
  static Optional<Greeting> of(String host, int port) {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
      socket.getOutputStream().write("PING\r\nINFO server\r\n".getBytes(StandardCharsets.US_ASCII));
      BufferedReader answers =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      return "+PONG".equals(answers.readLine()) ? Optional.of(read(answers)) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Greeting read(BufferedReader answers) throws IOException {
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
        fields.getOrDefault("redis_version", ""));
  }
}
