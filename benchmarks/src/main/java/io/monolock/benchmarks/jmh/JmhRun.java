// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.jmh;

import io.monolock.benchmarks.Circumstances;
import io.monolock.benchmarks.report.Document;
import io.monolock.benchmarks.report.Section;
import io.monolock.benchmarks.scenario.Scenarios;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * The main program of {@code benchmarks.jar}: JMH as its own main program runs it, with a server
 * for the run, profilers, and an entry in the file of results.
 */
public final class JmhRun {

  private JmhRun() {}

  /**
   * Runs the program.
   *
   * @param args the options of JMH; {@code -h} lists them
   * @throws CommandLineOptionException when one is wrong
   * @throws RunnerException when a benchmark fails
   * @throws IOException when something cannot be read or written
   */
  public static void main(String[] args)
      throws CommandLineOptionException, RunnerException, IOException {
    CommandLineOptions options = new CommandLineOptions(args);
    if (options.shouldHelp()) {
      options.showHelp();
    } else if (options.shouldList()) {
      new Runner(options).list();
    } else {
      Document document = new Document(Document.module(), Scenarios.titles());
      String circumstances = Circumstances.now("benchmarks.jar", List.of(args));
      for (Section section : JmhReport.sections(run(options))) {
        document.put(section, circumstances);
      }
    }
  }

  static Collection<RunResult> run(Options wanted) throws RunnerException {
    try (RedisServer server = RedisServer.start()) {
      Options options =
          new OptionsBuilder()
              .parent(wanted)
              .jvmArgsAppend("-Xms1g", "-Xmx1g", "-D" + BusyContender.SERVER + "=" + server.uri())
              .addProfiler(GCProfiler.class)
              .addProfiler(WindowProfiler.class)
              .build();
      // for a run without forks
      System.setProperty(BusyContender.SERVER, server.uri());
      return new Runner(options).run();
    }
  }
}
