// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.Lock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Looks at all handles of this JVM every millisecond, and knows how late its threads run. */
final class HandleWatcher {

  private static final long PERIOD = 1_000_000;
  private static final long BEAT = 5_000_000;

  private final Journal journal;
  private final Set<HandleWatch> watches = ConcurrentHashMap.newKeySet();
  private final List<Heartbeat> pulses = new CopyOnWriteArrayList<>();
  private final Heartbeat looks = new Heartbeat(PERIOD);

  private HandleWatcher(Journal journal) {
    this.journal = journal;
    pulses.add(looks);
  }

  /**
   * Begins to look.
   *
   * @param timer the timer of the locker
   */
  static HandleWatcher start(Journal journal, Scheduler timer) {
    HandleWatcher watcher = new HandleWatcher(journal);
    Thread looker = new Thread(watcher::lookForEver, "chaos-watcher");
    looker.setDaemon(true);
    looker.start();
    watcher.feelPulse(timer.createWorker());
    // where the library signals: workers are given out in turn, one for each thread
    for (int i = 0; i < Schedulers.DEFAULT_POOL_SIZE; i++) {
      watcher.feelPulse(Schedulers.parallel().createWorker());
    }
    return watcher;
  }

  private void feelPulse(Scheduler.Worker worker) {
    Heartbeat pulse = new Heartbeat(BEAT);
    pulses.add(pulse);
    var unused = worker.schedulePeriodically(pulse::beat, 0, BEAT, TimeUnit.NANOSECONDS);
  }

  /**
   * Begins to watch a handle.
   *
   * @param ttl what its lock was acquired with
   * @param listens whether its body is told when it is lost
   */
  HandleWatch watch(String call, Lock lock, Duration ttl, boolean listens) {
    HandleWatch watch = new HandleWatch(this, call, lock, ttl, listens);
    watch.look();
    watches.add(watch);
    return watch;
  }

  void ended(HandleWatch watch, CallEvent.HandleHeld held) {
    watches.remove(watch);
    journal.add(held);
  }

  /** How much later than they should the threads of this JVM have run so far, each of them. */
  List<Long> lateness() {
    return pulses.stream().map(Heartbeat::lateness).toList();
  }

  /** How much later the latest of them has run since then; a frozen JVM delays all alike. */
  long latenessSince(List<Long> before) {
    List<Long> now = lateness();
    return IntStream.range(0, before.size())
        .mapToLong(i -> now.get(i) - before.get(i))
        .max()
        .orElse(0);
  }

  private void lookForEver() {
    while (true) {
      looks.beat();
      watches.forEach(HandleWatch::look);
      LockSupport.parkNanos(PERIOD);
    }
  }

  /** Something that should happen at equal intervals. */
  private static final class Heartbeat {

    private final long interval;
    private final AtomicLong late = new AtomicLong();
    private volatile long lastBeat = System.nanoTime();

    Heartbeat(long interval) {
      this.interval = interval;
    }

    void beat() {
      long now = System.nanoTime();
      late.addAndGet(lateness(now));
      lastBeat = now;
    }

    long lateness() {
      return late.get() + lateness(System.nanoTime());
    }

    private long lateness(long now) {
      return Math.max(0, now - lastBeat - 2 * interval);
    }
  }
}
