// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Caller;
import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.report.Sample;
import java.util.List;
import java.util.stream.IntStream;

/** Callers that never meet: each takes and frees keys of its own. Times are of whole turns. */
public final class FreeKeys implements CountedWorkload {

  private final Tally tally = new Tally();
  private final Loops loops;

  /**
   * Sets the callers up.
   *
   * @param contender how they lock
   * @param inFlight how many there are
   * @param keys how many keys each of them takes at a time
   */
  public FreeKeys(Contender contender, int inFlight, int keys) {
    loops =
        new Loops(
            IntStream.range(0, inFlight)
                .mapToObj(number -> contender.caller(keys(number, keys), number + 1))
                .map(caller -> new FreeLoop(caller, tally))
                .toList());
  }

  private static List<String> keys(int number, int keys) {
    return IntStream.range(0, keys).mapToObj(key -> "free:" + number + ":" + key).toList();
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
  public Sample end() {
    return tally.end();
  }

  @Override
  public long operations() {
    return tally.operations();
  }

  @Override
  public void stop() {
    loops.stop();
  }

  private static final class FreeLoop extends Loop {

    private final Tally tally;

    FreeLoop(Caller caller, Tally tally) {
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
