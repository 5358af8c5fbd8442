// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.jmh;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisServerCommands;
import io.monolock.benchmarks.client.CountedWorkload;
import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.ServerMeter;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * A contender under load in the process of a benchmark. The load goes on through a whole iteration;
 * an invocation only waits until a batch of operations is done, so that there are no pauses between
 * invocations.
 */
final class BusyContender implements AutoCloseable {

  /** The property that holds the server's address. */
  static final String SERVER = "monolock.benchmarks.server";

  /** Operations of an invocation. */
  static final int BATCH = 64;

  private static final long LOOK_AGAIN_NANOS = 50_000;

  private final RedisClient client = RedisClient.create(System.getProperty(SERVER));
  private final RedisServerCommands<String, String> server = client.connect().sync();
  private final Contender contender;
  private CountedWorkload workload;
  private long awaited;
  private ServerMeter before;

  BusyContender(Contenders contender) {
    this.contender = contender.open(System.getProperty(SERVER));
  }

  void begin(Function<Contender, CountedWorkload> work) {
    workload = work.apply(contender);
    workload.start();
    awaited = workload.operations();
    before = ServerMeter.of(server.info("all"));
    workload.begin();
  }

  void awaitBatch() {
    awaited += BATCH;
    while (workload.operations() < awaited) {
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
  }

  void end() {
    workload.end();
    ServerMeter used = ServerMeter.of(server.info("all")).since(before);
    workload.stop();
    WindowProfiler.report(used.addTo(workload.sample()));
  }

  @Override
  public void close() {
    contender.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }
}
