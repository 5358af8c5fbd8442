// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import io.monolock.test.RedisServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A client in a process of its own; all other tests have clients in this process. */
class ProcessChannelTest {

  @Test
  void aClientProcessExecutesCommands() {
    List<Integer> processors = Processors.usable();
    List<String> prefix = processors.isEmpty() ? List.of() : Processors.on(processors.get(0));
    try (RedisServer server = RedisServer.start();
        ClientChannel channel = new ProcessChannel(Contenders.RAW, server.uri(), prefix)) {
      Client client = new Client(Contenders.RAW, channel);
      client.awaitReady();
      client.start(Workloads.FREE_KEYS, 1, 1);
      client.begin();
      while (server.commandAsLong("DBSIZE") == 0) {
        Thread.onSpinWait();
      }
      client.end();
      Sample sample = client.sample();
      client.stop();
      assertThat(sample.get(Metric.FAILURES)).isZero();
      assertThat(sample.get(Metric.CLIENT_CORES)).isPositive();
    }
  }
}
