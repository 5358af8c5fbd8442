// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Scheduler;
import reactor.util.concurrent.Queues;

/**
 * Runs signals to subscribers, many in one task of a scheduler: a task for each would cost more
 * than the signal. Signals for the same keys go through the same lane, in order, so that a lock
 * that is handed from holder to holder stays on one thread.
 *
 * <p>This is only for schedulers whose threads must not be blocked, as one signal waits for the
 * other. A lane yields its thread after some signals, so that other tasks get their turn.
 */
final class Lanes {

  private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);
  private static final int LONGEST_RUN = 64;

  private final SignalLane[] lanes;

  Lanes(Scheduler scheduler, int count) {
    lanes = new SignalLane[count];
    for (int i = 0; i < count; i++) {
      lanes[i] = new SignalLane(scheduler.createWorker());
    }
  }

  /** Runs the signal after the earlier ones of this number. */
  void run(int number, Runnable signal) {
    lanes[Math.floorMod(number, lanes.length)].run(signal);
  }

  private static final class SignalLane implements Runnable {

    private final Scheduler.Worker worker;
    private final Queue<Runnable> signals = Queues.<Runnable>unboundedMultiproducer().get();
    private final AtomicInteger waiting = new AtomicInteger();

    SignalLane(Scheduler.Worker worker) {
      this.worker = worker;
    }

    void run(Runnable signal) {
      signals.add(signal);
      if (waiting.getAndIncrement() == 0) {
        schedule();
      }
    }

    private void schedule() {
      try {
        worker.schedule(this);
      } catch (RejectedExecutionException e) {
        run(); // the scheduler is disposed, and a signal must not be lost
      }
    }

    @Override
    public void run() {
      int known = Math.min(waiting.get(), LONGEST_RUN);
      int ran = 0;
      while (ran < known) {
        Runnable signal = signals.poll();
        if (signal == null) {
          break;
        }
        ran++;
        try {
          signal.run();
        } catch (Throwable e) {
          LOG.error("a subscriber has thrown instead of signalling an error", e);
        }
      }
      if (waiting.addAndGet(-ran) != 0) {
        schedule();
      }
    }
  }
}
