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

/** Callers that contend for one key. An operation is a grant, and its time is the wait for it. */
public final class HotKey extends MeasuredWorkload {

  private static final int CHECKED_CALLS = 400_000;

  /** One in so many holders holds the lock so long that a violation of exclusion is noticed. */
  private static final int LONG_HOLD_INTERVAL = 1_024;

  private static final long LONG_NANOS = 200_000;

  private final long holdNanos;
  private final OvertakingCounter overtaking = new OvertakingCounter(CHECKED_CALLS);
  private final ExclusionCheck exclusion;
  private final CallerLoops loops;

  /**
   * Sets the callers up.
   *
   * @param contender the contender
   * @param waiters the count of callers
   * @param shared a file in which all processes on the key check exclusion
   * @param holdNanos how long each holds the lock
   */
  public HotKey(Contender contender, int waiters, Path shared, long holdNanos) {
    this.holdNanos = holdNanos;
    exclusion = new ExclusionCheck(shared);
    loops =
        new CallerLoops(
            IntStream.rangeClosed(1, waiters)
                .mapToObj(number -> contender.caller(List.of(key(shared)), number))
                .map(HotLoop::new)
                .toList());
  }

  /** A new key for each window, without waiters of the last one. */
  static String key(Path shared) {
    return shared.getFileName().toString();
  }

  @Override
  public void start() {
    loops.start();
  }

  @Override
  public Sample sample() {
    return statistics
        .sample()
        .with(Metric.VIOLATIONS, exclusion.violations())
        .with(Metric.OVERTAKEN, overtaking.overtaken());
  }

  @Override
  public void stop() {
    loops.stop();
  }

  private final class HotLoop extends CallerLoop {

    private final long owner = exclusion.newOwner();
    private int ticket;

    HotLoop(Caller caller) {
      super(caller, statistics);
    }

    @Override
    void subscribe(Mono<?> call) {
      int current = overtaking.arrive();
      ticket = current;
      super.subscribe(call);
      overtaking.subscribed(current);
    }

    @Override
    public void run() {
      exclusion.enter(owner);
      overtaking.granted(ticket);
      long now = System.nanoTime();
      statistics.done(now - begin);
      if (holdNanos > 0) {
        holdUntil(now + holdNanos);
      } else if (ThreadLocalRandom.current().nextInt(LONG_HOLD_INTERVAL) == 0) {
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
      // recorded at the grant
    }
  }
}
