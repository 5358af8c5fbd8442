// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.Sample;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A client of one contender. Methods return when the client has executed them. */
record Client(Contenders contender, ClientChannel channel) implements AutoCloseable {

  void awaitReady() {
    channel.awaitReady();
  }

  void start(Workloads workload, Object... words) {
    channel.send(
        Stream.concat(Stream.of("start", workload.name()), Stream.of(words))
            .map(String::valueOf)
            .collect(Collectors.joining(" ")));
  }

  void begin() {
    channel.send("begin");
  }

  void end() {
    channel.send("end");
  }

  Sample sample() {
    return Sample.parse(channel.send("sample"));
  }

  void stop() {
    channel.send("stop");
  }

  @Override
  public void close() {
    channel.close();
  }
}
