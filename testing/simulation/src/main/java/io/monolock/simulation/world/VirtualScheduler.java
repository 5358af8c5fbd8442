// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.monolock.simulation.world.World.Role;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.scheduler.Scheduler;

/** The clock and some threads of one process, for Reactor. */
final class VirtualScheduler implements Scheduler {

  private static final int THREADS = 3;

  private final SimulatedProcess process;
  private final Role role;
  private final long longestHop;
  private final SplittableRandom random;
  private final Lane[] lanes = new Lane[THREADS];
  private Lane running;
  private int next;
  private long rejectsUntil;

  /**
   * @param longestHop how long a task waits for a thread at most
   */
  VirtualScheduler(SimulatedProcess process, Role role, long longestHop, SplittableRandom random) {
    this.process = process;
    this.role = role;
    this.longestHop = longestHop;
    this.random = random;
    for (int i = 0; i < THREADS; i++) {
      lanes[i] = new Lane();
    }
    running = lanes[0];
  }

  /** One thread, which a task may keep busy. */
  private final class Lane implements World.Gate {
    long busyUntil;
    long last;

    @Override
    public long opensAt() {
      long opens = process.opensAt();
      return opens == World.NEVER ? opens : Math.max(opens, busyUntil);
    }

    /** Tasks without a delay run in the order in which they came. */
    Disposable run(Runnable task, long delay) {
      if (process.world().now() < rejectsUntil) {
        throw Exceptions.failWithRejected();
      }
      long hop = longestHop == 0 ? 0 : random.nextLong(longestHop);
      long due = process.now() + Math.max(0, delay) + hop;
      if (delay <= 0) {
        last = Math.max(last, due);
        due = last;
      }
      return process.schedule(
          due < 0 ? World.NEVER : due - process.now(),
          this,
          role,
          () -> {
            running = this;
            task.run();
          });
    }
  }

  void rejectUntil(long time) {
    rejectsUntil = time;
  }

  void block(long until) {
    running.busyUntil = until;
  }

  private Lane lane() {
    return lanes[next++ % THREADS];
  }

  @Override
  public Disposable schedule(Runnable task) {
    return lane().run(task, 0);
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    return lane().run(task, unit.toNanos(delay));
  }

  @Override
  public Disposable schedulePeriodically(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    return repeat(lane(), task, unit.toNanos(initialDelay), unit.toNanos(period));
  }

  private Disposable repeat(Lane lane, Runnable task, long initialDelay, long period) {
    Disposable.Swap present = Disposables.swap();
    repeat(lane, task, process.now() + initialDelay, period, present);
    return present;
  }

  private void repeat(Lane lane, Runnable task, long due, long period, Disposable.Swap present) {
    present.replace(
        lane.run(
            () -> {
              task.run();
              if (!present.isDisposed()) {
                repeat(lane, task, due + period, period, present);
              }
            },
            Math.max(1, due - process.now())));
  }

  @Override
  public long now(TimeUnit unit) {
    return unit.convert(process.now(), NANOSECONDS);
  }

  @Override
  public Worker createWorker() {
    return new OneLane(lane());
  }

  /** Runs its tasks on one thread, until it is disposed. */
  private final class OneLane implements Worker {

    private final Lane lane;
    private boolean disposed;

    OneLane(Lane lane) {
      this.lane = lane;
    }

    private Runnable unlessDisposed(Runnable task) {
      if (disposed) {
        throw Exceptions.failWithRejected();
      }
      return () -> {
        if (!disposed) {
          task.run();
        }
      };
    }

    @Override
    public Disposable schedule(Runnable task) {
      return lane.run(unlessDisposed(task), 0);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      return lane.run(unlessDisposed(task), unit.toNanos(delay));
    }

    @Override
    public Disposable schedulePeriodically(
        Runnable task, long initialDelay, long period, TimeUnit unit) {
      return repeat(lane, unlessDisposed(task), unit.toNanos(initialDelay), unit.toNanos(period));
    }

    @Override
    public void dispose() {
      disposed = true;
    }

    @Override
    public boolean isDisposed() {
      return disposed;
    }
  }
}
