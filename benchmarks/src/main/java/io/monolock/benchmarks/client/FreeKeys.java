// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Caller;
import io.monolock.benchmarks.contender.Contender;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Callers without contention: each acquires and releases keys of its own. A time is that of a pair
 * of acquire and release.
 */
public final class FreeKeys extends MeasuredWorkload {

  private final CallerLoops loops;

  /**
   * Sets the callers up.
   *
   * @param contender the contender
   * @param inFlight the count of callers
   * @param keys the count of keys of each lock
   */
  public FreeKeys(Contender contender, int inFlight, int keys) {
    // new keys, even if former ones are still locked
    String space = "free:" + Long.toHexString(System.nanoTime()) + ":";
    loops =
        new CallerLoops(
            IntStream.rangeClosed(1, inFlight)
                .mapToObj(number -> contender.caller(keys(space + number, keys), number))
                .map(caller -> new FreeLoop(caller, statistics))
                .toList());
  }

  private static List<String> keys(String caller, int keys) {
    return IntStream.range(0, keys).mapToObj(key -> caller + ":" + key).toList();
  }

  @Override
  public void start() {
    loops.start();
  }

  @Override
  public void stop() {
    loops.stop();
  }

  private static final class FreeLoop extends CallerLoop {

    private final WindowStatistics statistics;

    FreeLoop(Caller caller, WindowStatistics statistics) {
      super(caller, statistics);
      this.statistics = statistics;
    }

    @Override
    public void run() {
      // nothing is done with the lock
    }

    @Override
    void done(long begin) {
      statistics.done(System.nanoTime() - begin);
    }
  }
}
