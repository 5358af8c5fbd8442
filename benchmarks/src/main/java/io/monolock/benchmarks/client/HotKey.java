// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Caller;
import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** Callers that all want one key. An operation is a grant, and its time is the wait for it. */
public final class HotKey implements CountedWorkload {

  private static final int MOST_LOOKED_AT = 400_000;

  /** One in so many holds the lock for so long that another holder would be seen. */
  private static final int RARELY = 1_024;

  private static final long LONG_NANOS = 200_000;

  private final WindowStatistics tally = new WindowStatistics();
  private final OvertakingCounter turnstile = new OvertakingCounter(MOST_LOOKED_AT);
  private final ExclusionCheck exclusion;
  private final CallerLoops loops;

  /**
   * Sets the callers up.
   *
   * @param contender how they lock
   * @param waiters how many there are
   * @param shared a file by which all processes on the key check that one holds it at a time
   */
  public HotKey(Contender contender, int waiters, Path shared) {
    exclusion = new ExclusionCheck(shared);
    loops =
        new CallerLoops(
            IntStream.rangeClosed(1, waiters)
                .mapToObj(number -> contender.caller(List.of(key(shared)), number))
                .map(HotLoop::new)
                .toList());
  }

  /** Another one for each window, so that nobody of the last one is in the way. */
  static String key(Path shared) {
    return shared.getFileName().toString();
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
    return tally
        .sample()
        .with(Metric.VIOLATIONS, exclusion.violations())
        .with(Metric.OVERTAKEN, turnstile.overtaken());
  }

  @Override
  public long operations() {
    return tally.operations();
  }

  @Override
  public void stop() {
    loops.stop();
  }

  private final class HotLoop extends CallerLoop {

    private final long owner = exclusion.newOwner();
    private int ticket;

    HotLoop(Caller caller) {
      super(caller, tally);
    }

    @Override
    void subscribe(Mono<?> turn) {
      int mine = turnstile.comes();
      ticket = mine;
      super.subscribe(turn);
      turnstile.waits(mine);
    }

    @Override
    public void run() {
      exclusion.enter(owner);
      turnstile.goes(ticket);
      long now = System.nanoTime();
      tally.done(now - begin);
      if (ThreadLocalRandom.current().nextInt(RARELY) == 0) {
        holdUntil(now + LONG_NANOS);
      }
      exclusion.leave(owner);
    }

    private void holdUntil(long end) {
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
    }

    @Override
    void done(long begin) {
      // counted when it was granted
    }
  }
}
