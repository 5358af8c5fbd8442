// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.contender.Contenders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One contender, controlled by commands, one a line:
 *
 * <pre>
 * start WORKLOAD WORD...   ok
 * begin                    ok
 * end                      ok
 * sample                   what {@link io.monolock.benchmarks.report.Sample#toLine} writes
 * stop                     ok
 * </pre>
 */
public final class ClientSession implements AutoCloseable {

  private static final String OK = "ok";

  private final Contender contender;
  private @Nullable Workload workload;

  /**
   * Opens a contender.
   *
   * @param contender which
   * @param uri the address of the server
   */
  public ClientSession(Contenders contender, String uri) {
    this.contender = contender.open(uri);
  }

  /**
   * Executes a command.
   *
   * @param line the command
   * @return the answer, once the command is executed
   */
  public String execute(String line) {
    List<String> words = List.of(line.split(" "));
    switch (words.get(0)) {
      case "start" -> start(words.get(1), words.subList(2, words.size()));
      case "begin" -> running().begin();
      case "end" -> running().end();
      case "sample" -> {
        return running().sample().toLine();
      }
      case "stop" -> {
        running().stop();
        workload = null; // a heap that is measured next is without it
      }
      default -> throw new IllegalArgumentException("Unknown: " + line);
    }
    return OK;
  }

  private void start(String name, List<String> words) {
    Workload started = Workloads.valueOf(name).create(contender, words);
    started.start();
    workload = started;
  }

  private Workload running() {
    if (workload == null) {
      throw new IllegalStateException("Nothing has been started");
    }
    return workload;
  }

  @Override
  public void close() {
    contender.close();
  }
}
