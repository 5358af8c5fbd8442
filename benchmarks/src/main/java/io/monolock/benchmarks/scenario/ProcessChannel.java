// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.client.ClientMain;
import io.monolock.benchmarks.contender.Contenders;
import io.monolock.test.ClassPath;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A client in a process of its own, with its own compiled code, heap and CPU time. */
final class ProcessChannel implements ClientChannel {

  private static final List<String> JAVA_OPTIONS = List.of("-Xms1g", "-Xmx1g");

  private final Contenders contender;
  private final Process process;
  private final Writer input;
  private final BufferedReader output;

  /**
   * Starts a process.
   *
   * @param prefix the words before the command, such as {@code taskset}; may be empty
   */
  ProcessChannel(Contenders contender, String uri, List<String> prefix) {
    this.contender = contender;
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JAVA_OPTIONS);
    command.addAll(List.of("-cp", ClassPath.ofThisProgram(), ClientMain.class.getName()));
    command.addAll(List.of(contender.name(), uri));
    try {
      process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    input = process.outputWriter(StandardCharsets.UTF_8);
    output = process.inputReader(StandardCharsets.UTF_8);
  }

  @Override
  public void awaitReady() {
    answer();
  }

  @Override
  public String send(String command) {
    try {
      input.write(command + "\n");
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return answer();
  }

  private String answer() {
    try {
      String line = output.readLine();
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
