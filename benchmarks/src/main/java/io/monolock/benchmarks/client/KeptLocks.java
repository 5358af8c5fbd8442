// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Holds many locks and keeps them alive. */
final class KeptLocks implements Workload {

  private static final int AT_A_TIME = 256;
  private static final int FIRST = 1_000;
  private static final long PATIENCE_SECONDS = 120;

  private final Contender contender;
  private final int locks;
  private final String prefix;
  private final IdleSubscriptions crowd = new IdleSubscriptions();
  private long heapBefore;

  KeptLocks(Contender contender, int locks, String prefix) {
    this.contender = contender;
    this.locks = locks;
    this.prefix = prefix;
  }

  @Override
  public void start() {
    if (locks > FIRST) {
      // what is there once, however many locks there are, is not theirs
      IdleSubscriptions first = new IdleSubscriptions();
      fill(first, FIRST, "first:" + prefix);
      first.dismiss();
    }
    heapBefore = ProcessMeter.heapInUse();
    fill(crowd, locks, prefix);
  }

  private void fill(IdleSubscriptions all, int count, String begin) {
    Semaphore room = new Semaphore(AT_A_TIME);
    Runnable granted = room::release;
    for (int number = 1; number <= count; number++) {
      await(room, 1);
      all.add(contender.caller(List.of(begin + number), number).keep(granted));
    }
    await(room, AT_A_TIME);
  }

  private static void await(Semaphore room, int permits) {
    try {
      if (!room.tryAcquire(permits, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("Free keys are not granted");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void begin() {
    crowd.begin();
  }

  @Override
  public void end() {
    crowd.end();
  }

  @Override
  public Sample sample() {
    double heap = ProcessMeter.heapInUse() - heapBefore;
    return crowd.sample().with(Metric.HEAP, heap / locks);
  }

  @Override
  public void stop() {
    crowd.dismiss();
  }
}
