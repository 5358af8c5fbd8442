// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Scheduler;

/**
 * Takes the time from one scheduler and runs the tasks on another: delays of users' code, such as
 * those of a retry spec, are measured by the locker's timer, but the code never runs on it.
 *
 * <p>If the other scheduler is disposed, a task runs on the present thread: a signal must not be
 * lost.
 */
final class PublishingTimer implements Scheduler {

  private final Scheduler timer;
  private final Scheduler publishOn;

  PublishingTimer(Scheduler timer, Scheduler publishOn) {
    this.timer = timer;
    this.publishOn = publishOn;
  }

  @Override
  public Disposable schedule(Runnable task) {
    try {
      return publishOn.schedule(task);
    } catch (RejectedExecutionException e) {
      task.run();
      return Disposables.disposed();
    }
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    Disposable.Composite steps = Disposables.composite();
    steps.add(timer.schedule(() -> steps.add(schedule(task)), delay, unit));
    return steps;
  }

  @Override
  public long now(TimeUnit unit) {
    return timer.now(unit);
  }

  @Override
  public Worker createWorker() {
    Disposable.Composite tasks = Disposables.composite();
    return new Worker() {
      @Override
      public Disposable schedule(Runnable task) {
        return added(PublishingTimer.this.schedule(task));
      }

      @Override
      public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return added(PublishingTimer.this.schedule(task, delay, unit));
      }

      private Disposable added(Disposable task) {
        tasks.add(task);
        return task;
      }

      @Override
      public void dispose() {
        tasks.dispose();
      }

      @Override
      public boolean isDisposed() {
        return tasks.isDisposed();
      }
    };
  }
}
