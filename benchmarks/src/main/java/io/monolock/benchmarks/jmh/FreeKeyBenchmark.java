// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.jmh;

import io.monolock.benchmarks.client.FreeKeys;
import io.monolock.benchmarks.contender.Contenders;
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

/** Locks without contention. */
@State(Scope.Benchmark)
@Fork(1)
@Warmup(iterations = 3, time = 2, timeUnit = TimeUnit.SECONDS)
@Measurement(iterations = 5, time = 2, timeUnit = TimeUnit.SECONDS)
public class FreeKeyBenchmark {

  @Param({"RAW", "ACQUIRE", "WITH_LOCK", "FENCED", "REDISSON"})
  Contenders contender;

  @Param({"1", "64", "512"})
  int inFlight;

  @Param({"1", "5"})
  int keys;

  private BusyContender bench;

  /** Connects. */
  @Setup
  public void open() {
    bench = new BusyContender(contender);
  }

  /** Starts the callers. */
  @Setup(Level.Iteration)
  public void begin() {
    bench.begin(opened -> new FreeKeys(opened, inFlight, keys));
  }

  /** Pairs of an acquire and a release. */
  @Benchmark
  @OperationsPerInvocation(BusyContender.BATCH)
  public void pair() {
    bench.awaitBatch();
  }

  /** Stops the callers. */
  @TearDown(Level.Iteration)
  public void end() {
    bench.end();
  }

  /** Disconnects. */
  @TearDown
  public void close() {
    bench.close();
  }
}
