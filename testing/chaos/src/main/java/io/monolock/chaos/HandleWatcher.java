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

/** Polls all handles of this JVM every millisecond, and measures how late its threads run. */
final class HandleWatcher {

  private static final long PERIOD = 1_000_000;
  private static final long BEAT = 5_000_000;

  private final Journal journal;
  private final Set<HandleWatch> watches = ConcurrentHashMap.newKeySet();
  private final List<Heartbeat> heartbeats = new CopyOnWriteArrayList<>();
  private final Heartbeat polls = new Heartbeat(PERIOD);

  private HandleWatcher(Journal journal) {
    this.journal = journal;
    heartbeats.add(polls);
  }

  /**
   * Begins to poll.
   *
   * @param timer the timer of the locker
   */
  static HandleWatcher start(Journal journal, Scheduler timer) {
    HandleWatcher watcher = new HandleWatcher(journal);
    Thread thread = new Thread(watcher::pollForever, "chaos-watcher");
    thread.setDaemon(true);
    thread.start();
    watcher.addHeartbeat(timer.createWorker());
    // the library signals on these threads; workers are assigned to threads in turn
    for (int i = 0; i < Schedulers.DEFAULT_POOL_SIZE; i++) {
      watcher.addHeartbeat(Schedulers.parallel().createWorker());
    }
    return watcher;
  }

  private void addHeartbeat(Scheduler.Worker worker) {
    Heartbeat heartbeat = new Heartbeat(BEAT);
    heartbeats.add(heartbeat);
    var unused = worker.schedulePeriodically(heartbeat::beat, 0, BEAT, TimeUnit.NANOSECONDS);
  }

  /**
   * Begins to watch a handle.
   *
   * @param ttl the ttl of its lock
   * @param listens whether its body is notified of a loss
   */
  HandleWatch watch(String call, Lock lock, Duration ttl, boolean listens) {
    HandleWatch watch = new HandleWatch(this, call, lock, ttl, listens);
    watch.poll();
    watches.add(watch);
    return watch;
  }

  void ended(HandleWatch watch, CallEvent.HandleHeld held) {
    watches.remove(watch);
    journal.add(held);
  }

  /** The accumulated delay of each thread of this JVM. */
  List<Long> lateness() {
    return heartbeats.stream().map(Heartbeat::lateness).toList();
  }

  /** The largest additional delay of a thread since then; a frozen JVM delays all of them. */
  long latenessSince(List<Long> before) {
    List<Long> now = lateness();
    return IntStream.range(0, before.size())
        .mapToLong(i -> now.get(i) - before.get(i))
        .max()
        .orElse(0);
  }

  private void pollForever() {
    while (true) {
      polls.beat();
      watches.forEach(HandleWatch::poll);
      LockSupport.parkNanos(PERIOD);
    }
  }

  /** A periodic task that measures its delay. */
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
