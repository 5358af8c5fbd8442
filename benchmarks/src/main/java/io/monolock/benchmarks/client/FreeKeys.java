// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Caller;
import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.report.Sample;
import java.util.List;
import java.util.stream.IntStream;

/** Callers that never meet: each takes and frees keys of its own. Times are of whole turns. */
public final class FreeKeys implements CountedWorkload {

  private final WindowStatistics tally = new WindowStatistics();
  private final CallerLoops loops;

  /**
   * Sets the callers up.
   *
   * @param contender how they lock
   * @param inFlight how many there are
   * @param keys how many keys each of them takes at a time
   */
  public FreeKeys(Contender contender, int inFlight, int keys) {
    // others than before, whatever has become of those
    String space = "free:" + Long.toHexString(System.nanoTime()) + ":";
    loops =
        new CallerLoops(
            IntStream.rangeClosed(1, inFlight)
                .mapToObj(number -> contender.caller(keys(space + number, keys), number))
                .map(caller -> new FreeLoop(caller, tally))
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
  public void begin() {
    tally.begin();
  }

  @Override
  public void end() {
    tally.end();
  }

  @Override
  public Sample sample() {
    return tally.sample();
  }

  @Override
  public long operations() {
    return tally.operations();
  }

  @Override
  public void stop() {
    loops.stop();
  }

  private static final class FreeLoop extends CallerLoop {

    private final WindowStatistics tally;

    FreeLoop(Caller caller, WindowStatistics tally) {
      super(caller, tally);
      this.tally = tally;
    }

    @Override
    public void run() {
      // nothing is done with the lock
    }

    @Override
    void done(long begin) {
      tally.done(System.nanoTime() - begin);
    }
  }
}
