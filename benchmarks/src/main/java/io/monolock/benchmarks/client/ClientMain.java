// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.contender.Contenders;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The program of a client process. It has one contender, and does what the lines that it reads say:
 *
 * <pre>
 * start WORKLOAD WORD...   ok
 * begin                    ok
 * end                      what {@link io.monolock.benchmarks.report.Sample#toLine} writes
 * stop                     ok
 * </pre>
 *
 * <p>It ends with its input, and so with the process that started it.
 */
public final class ClientMain {

  private static final String OK = "ok";

  private final Contender contender;
  private @Nullable Workload workload;

  private ClientMain(Contender contender) {
    this.contender = contender;
  }

  /**
   * Runs the program.
   *
   * @param args the name of a contender and the address of the server
   * @throws IOException when the input cannot be read
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // whatever libraries print
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ClientMain client = new ClientMain(Contenders.valueOf(args[0]).open(args[1]));
    answers.println(OK);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      answers.println(client.obey(List.of(line.split(" "))));
    }
    System.exit(0);
  }

  private String obey(List<String> words) {
    switch (words.get(0)) {
      case "start" -> {
        workload =
            Workloads.valueOf(words.get(1)).create(contender, words.subList(2, words.size()));
        workload.start();
      }
      case "begin" -> running().begin();
      case "end" -> {
        return running().end().toLine();
      }
      case "stop" -> running().stop();
      default -> throw new IllegalArgumentException("Unknown: " + words);
    }
    return OK;
  }

  private Workload running() {
    if (workload == null) {
      throw new IllegalStateException("Nothing has been started");
    }
    return workload;
  }
}
