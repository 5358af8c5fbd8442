// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Holds many locks and keeps them alive. */
final class KeptLocks extends IdleWorkload {

  private static final int AT_A_TIME = 256;
  private static final int FIRST = 1_000;
  private static final long TIMEOUT_SECONDS = 120;

  private final Contender contender;
  private final int locks;
  private final String prefix;
  private long heapBefore;

  KeptLocks(Contender contender, int locks, String prefix) {
    this.contender = contender;
    this.locks = locks;
    this.prefix = prefix;
  }

  @Override
  public void start() {
    if (locks > FIRST) {
      // the first locks create what all locks share, which does not count
      IdleSubscriptions first = new IdleSubscriptions();
      fill(first, FIRST, "first:" + prefix);
      first.cancel();
    }
    heapBefore = ProcessMeter.heapInUse();
    fill(subscriptions, locks, prefix);
  }

  private void fill(IdleSubscriptions all, int count, String begin) {
    Semaphore room = new Semaphore(AT_A_TIME);
    Runnable granted = room::release;
    for (int number = 1; number <= count; number++) {
      await(room, 1);
      all.add(contender.caller(List.of(begin + number), number).hold(granted));
    }
    await(room, AT_A_TIME);
  }

  private static void await(Semaphore room, int permits) {
    try {
      if (!room.tryAcquire(permits, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("Free keys are not granted");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Sample sample() {
    double heap = ProcessMeter.heapInUse() - heapBefore;
    return subscriptions.sample().with(Metric.HEAP, heap / locks);
  }
}
