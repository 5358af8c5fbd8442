// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import javax.net.SocketFactory;

/** Starts the processes of one server and waits until they answer. */
final class Launcher {

  static final String HOST = "127.0.0.1";

  private static final Duration START_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(3);
  private static final int PORT_ATTEMPTS = 10;
  // an old server logs the second one if the port of the cluster's bus is taken
  private static final List<String> TAKEN =
      List.of("Failed listening on port", "Could not create server TCP listening socket");
  private static final int FIRST_MAJOR_VERSION_THAT_FORBIDS_DEBUG = 7;

  /** How a server starts other than by default. */
  enum Mode {
    SENTINEL,
    /** Keeps the changes that the server makes to its configuration file. */
    KEEPS_CONFIGURATION
  }

  private final RedisBinary binary;
  private final ServerFiles files;
  private final List<String> extraConfiguration;
  private final List<Mode> modes;
  private final Transport transport;

  Launcher(
      RedisBinary binary,
      ServerFiles files,
      List<String> extraConfiguration,
      List<Mode> modes,
      Transport transport) {
    this.binary = binary;
    this.files = files;
    this.extraConfiguration = extraConfiguration;
    this.modes = modes;
    this.transport = transport;
  }

  /** A process that answers on its port, and the version that it reports. */
  record Running(ChildProcess process, int port, String version) {}

  /**
   * Starts on a port that was free; takes the next one if another process has taken it meanwhile.
   */
  Running launchOnOneOf(IntSupplier ports) {
    for (int attempt = 1; attempt < PORT_ATTEMPTS; attempt++) {
      try {
        return launch(ports.getAsInt());
      } catch (PortTakenException e) {
        files.deleteData();
      }
    }
    return launch(ports.getAsInt());
  }

  Running launch(int port) {
    return launch(port, List.of(), false);
  }

  /** Starts with more settings, and returns while the server still loads its data. */
  Running launchLoading(int port, List<String> moreConfiguration) {
    return launch(port, moreConfiguration, true);
  }

  private Running launch(int port, List<String> moreConfiguration, boolean mayLoad) {
    configure(port, moreConfiguration);
    int logStart = files.readLog().length();
    ChildProcess process = ChildProcess.start(command(), files.data(), files.log());
    try {
      ServerStatus status = awaitStatus(process, port, logStart, mayLoad);
      return new Running(process, port, status.version());
    } catch (RuntimeException e) {
      process.kill();
      throw e;
    }
  }

  private List<String> command() {
    List<String> words = new ArrayList<>();
    words.add(binary.path().toString());
    words.add(files.configuration().toString());
    if (modes.contains(Mode.SENTINEL)) {
      words.add("--sentinel");
    }
    return words;
  }

  private void configure(int port, List<String> moreConfiguration) {
    if (modes.contains(Mode.KEEPS_CONFIGURATION) && files.isConfigured()) {
      return;
    }
    List<String> lines = configuration(port);
    lines.addAll(moreConfiguration);
    files.configure(lines);
  }

  private List<String> configuration(int port) {
    List<String> lines = new ArrayList<>(transport.settings(port));
    lines.add("bind " + HOST);
    lines.add("dir \"" + files.data() + "\"");
    lines.add("save \"\"");
    lines.add("appendonly no");
    lines.add("user " + ControlConnection.USER + " on nopass ~* &* +@all");
    // the user with which it replicates from another server
    lines.add("masteruser " + ControlConnection.USER);
    lines.add("masterauth " + ControlConnection.USER);
    if (binary.majorVersion() >= FIRST_MAJOR_VERSION_THAT_FORBIDS_DEBUG) {
      lines.add("enable-debug-command yes");
    }
    lines.addAll(extraConfiguration);
    return lines;
  }

  private ServerStatus awaitStatus(ChildProcess process, int port, int logStart, boolean mayLoad) {
    SocketFactory sockets = transport.sockets();
    long end = System.nanoTime() + START_TIMEOUT.toNanos();
    while (System.nanoTime() - end < 0) {
      if (process.endsWithin(POLL_INTERVAL)) {
        throw failure("ended before it answered", port, logStart);
      }
      Optional<ServerStatus> status = ServerStatus.of(sockets, HOST, port);
      // another server may have taken the port
      if (status.isPresent()
          && status.get().pid() == process.pid()
          && (mayLoad || !status.get().isLoading())) {
        return status.get();
      }
    }
    throw failure("did not answer within " + START_TIMEOUT, port, logStart);
  }

  private IllegalStateException failure(String what, int port, int logStart) {
    String log = files.readLog().substring(logStart);
    String message = "%s on port %d %s:%n%s".formatted(binary.path(), port, what, log);
    return TAKEN.stream().anyMatch(log::contains)
        ? new PortTakenException(message)
        : new IllegalStateException(message);
  }
}
