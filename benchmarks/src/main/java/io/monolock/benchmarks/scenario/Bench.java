// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.Sample;
import io.monolock.benchmarks.report.ServerMeter;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The equipment of a scenario: a server of its own, client processes, and meters of both. */
final class Bench implements AutoCloseable {

  private final BenchmarkSettings settings;
  private final PrintWriter out;
  private final RedisServer server = RedisServer.start();
  private final List<Client> clients = new ArrayList<>();
  private final List<Path> files = new ArrayList<>();

  Bench(BenchmarkSettings settings, PrintWriter out) {
    this.settings = settings;
    this.out = out;
  }

  BenchmarkSettings settings() {
    return settings;
  }

  RedisServer server() {
    return server;
  }

  /** Starts a client process for each of the selected contenders, all at the same time. */
  List<Team> teams(Contenders... contenders) {
    return teams(1, List.of(), contenders);
  }

  /**
   * Starts client processes for each of the selected contenders, all at the same time.
   *
   * @param size the count of processes for each
   * @param prefix the words before their command; may be empty
   */
  List<Team> teams(int size, List<String> prefix, Contenders... contenders) {
    List<Team> teams =
        Stream.of(contenders)
            .filter(settings.contenders()::contains)
            .map(
                contender ->
                    new Team(
                        contender,
                        Stream.generate(() -> client(contender, prefix))
                            .limit(size)
                            .collect(Collectors.toCollection(ArrayList::new))))
            .toList();
    teams.forEach(team -> team.clients().forEach(Client::awaitReady));
    return teams;
  }

  /** Starts a client process for a contender on servers of another kind. */
  Team team(Contenders contender, String uri) {
    Client client = client(contender, uri, List.of());
    client.awaitReady();
    return new Team(contender, List.of(client));
  }

  private Client client(Contenders contender, List<String> prefix) {
    return client(contender, server.uri(), prefix);
  }

  private Client client(Contenders contender, String uri, List<String> prefix) {
    ClientChannel channel =
        settings.processes()
            ? new ProcessChannel(contender, uri, prefix)
            : new LocalChannel(contender, uri);
    Client client = new Client(contender, channel);
    clients.add(client);
    return client;
  }

  /** A new file for processes to share. */
  Path sharedFile() {
    try {
      Path file = Files.createTempFile("monolock-benchmarks-", ".shared");
      files.add(file);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Measures running clients for the time of a window. */
  Sample watch(List<Client> working, Duration warmUp, Duration window) {
    pause(warmUp);
    ServerMeter before = meter();
    working.forEach(Client::begin);
    pause(window);
    working.forEach(Client::end);
    ServerMeter used = meter().since(before);
    List<Sample> samples = working.stream().map(Client::sample).toList();
    return used.addTo(CombinedSample.together(samples));
  }

  private ServerMeter meter() {
    return ServerMeter.of(String.valueOf(server.commandAsString("INFO", "all")));
  }

  /** Prints the progress. */
  void say(String format, Object... arguments) {
    out.printf(format + "%n", arguments);
    out.flush();
  }

  private static void pause(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Ends client processes that are no longer needed, and deletes all locks. */
  void end(List<Team> teams) {
    for (Team team : teams) {
      team.clients().parallelStream().forEach(Client::close);
      clients.removeAll(team.clients());
    }
    server.command("FLUSHALL");
  }

  @Override
  public void close() {
    clients.parallelStream().forEach(Client::close);
    server.close();
    for (Path file : files) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
