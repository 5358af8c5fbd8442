// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.jmh;

import io.monolock.benchmarks.client.HotKey;
import io.monolock.benchmarks.contender.Contenders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One lock for which all callers of a process contend. */
@State(Scope.Benchmark)
@Fork(1)
@Warmup(iterations = 3, time = 2, timeUnit = TimeUnit.SECONDS)
@Measurement(iterations = 5, time = 2, timeUnit = TimeUnit.SECONDS)
public class HotKeyBenchmark {

  @Param({"ACQUIRE", "WITH_LOCK", "FENCED", "REDISSON"})
  Contenders contender;

  @Param({"64", "1024"})
  int waiters;

  private BusyContender bench;
  private Path shared;

  /** Connects. */
  @Setup
  public void open() {
    bench = new BusyContender(contender);
  }

  /**
   * Starts the callers.
   *
   * @throws IOException when the file cannot be created
   */
  @Setup(Level.Iteration)
  public void begin() throws IOException {
    shared = Files.createTempFile("monolock-benchmarks-", ".shared");
    bench.begin(opened -> new HotKey(opened, waiters, shared, 0));
  }

  /** Locks that go from one caller to the next. */
  @Benchmark
  @OperationsPerInvocation(BusyContender.BATCH)
  public void handOver() {
    bench.awaitBatch();
  }

  /**
   * Stops the callers.
   *
   * @throws IOException when the file cannot be deleted
   */
  @TearDown(Level.Iteration)
  public void end() throws IOException {
    bench.end();
    Files.delete(shared);
  }

  /** Disconnects. */
  @TearDown
  public void close() {
    bench.close();
  }
}
