// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.client.ClientMain;
import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.Sample;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A process with one contender in it, which so has the processor's caches, the compiled code and
 * the heap for itself. Its methods return when the client has done what they ask.
 */
final class Client implements AutoCloseable {

  private final Contenders contender;
  private final Process process;
  private final Writer orders;
  private final BufferedReader answers;

  private Client(Contenders contender, Process process) {
    this.contender = contender;
    this.process = process;
    orders = process.outputWriter(StandardCharsets.UTF_8);
    answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts one; {@link #awaitReady} says when it is there.
   *
   * @param prefix what stands before the command, such as {@code taskset}; may be empty
   */
  static Client start(
      Contenders contender, String uri, List<String> prefix, List<String> javaOptions) {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(javaOptions);
    command.addAll(List.of("-cp", ClassPath.ofThisProgram(), ClientMain.class.getName()));
    command.addAll(List.of(contender.name(), uri));
    try {
      return new Client(
          contender, new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Contenders contender() {
    return contender;
  }

  void awaitReady() {
    answer();
  }

  void start(Workloads workload, Object... words) {
    ask(
        Stream.concat(Stream.of("start", workload.name()), Stream.of(words))
            .map(String::valueOf)
            .collect(Collectors.joining(" ")));
  }

  void begin() {
    ask("begin");
  }

  Sample end() {
    return Sample.parse(ask("end"));
  }

  void stop() {
    ask("stop");
  }

  private String ask(String order) {
    try {
      orders.write(order + "\n");
      orders.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return answer();
  }

  private String answer() {
    try {
      String line = answers.readLine();
      if (line == null) {
        throw new IllegalStateException("The client of " + contender.title() + " has ended");
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
