// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.Sample;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One contender that does as it is told. Methods return when it has done what they ask. */
record Client(Contenders contender, ClientChannel line) implements AutoCloseable {

  void awaitReady() {
    line.awaitReady();
  }

  void start(Workloads workload, Object... words) {
    line.ask(
        Stream.concat(Stream.of("start", workload.name()), Stream.of(words))
            .map(String::valueOf)
            .collect(Collectors.joining(" ")));
  }

  void begin() {
    line.ask("begin");
  }

  void end() {
    line.ask("end");
  }

  Sample sample() {
    return Sample.parse(line.ask("sample"));
  }

  void stop() {
    line.ask("stop");
  }

  @Override
  public void close() {
    line.close();
  }
}
