// SPDX-License-Identifier: Apache-2.0
@file:OptIn(ExperimentalCoroutinesApi::class)

package io.monolock.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import reactor.core.Disposable
import reactor.core.Disposables
import reactor.core.scheduler.Scheduler
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeUnit.NANOSECONDS
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds

/** The virtual time of a test as clock, timer and thread of a locker. */
internal class VirtualTime(
  private val test: TestScope,
) : Scheduler {
  private val tasks: CoroutineScope = test.backgroundScope
  private var paused = Duration.ZERO

  /** The clock goes on while no timer runs, as when a process is suspended. */
  fun pause(time: Duration) {
    paused += time
  }

  /** How much time has passed since the test began. */
  fun passed(): Duration = test.currentTime.milliseconds

  override fun now(unit: TimeUnit): Long =
    unit.convert((passed() + paused).inWholeNanoseconds, NANOSECONDS)

  override fun schedule(task: Runnable): Disposable = start { task.run() }

  override fun schedule(
    task: Runnable,
    delay: Long,
    unit: TimeUnit,
  ): Disposable =
    start {
      delay(unit.toNanos(delay).nanoseconds)
      task.run()
    }

  override fun schedulePeriodically(
    task: Runnable,
    initialDelay: Long,
    period: Long,
    unit: TimeUnit,
  ): Disposable =
    start {
      delay(unit.toNanos(initialDelay).nanoseconds)
      while (true) {
        task.run()
        delay(unit.toNanos(period).nanoseconds)
      }
    }

  private fun start(task: suspend () -> Unit): Disposable {
    val job = tasks.launch { task() }
    return Disposable { job.cancel() }
  }

  override fun createWorker(): Scheduler.Worker = TimeWorker(this)

  private class TimeWorker(
    private val time: Scheduler,
  ) : Scheduler.Worker {
    private val all = Disposables.composite()

    override fun schedule(task: Runnable): Disposable = added(time.schedule(task))

    override fun schedule(
      task: Runnable,
      delay: Long,
      unit: TimeUnit,
    ): Disposable = added(time.schedule(task, delay, unit))

    override fun schedulePeriodically(
      task: Runnable,
      initialDelay: Long,
      period: Long,
      unit: TimeUnit,
    ): Disposable = added(time.schedulePeriodically(task, initialDelay, period, unit))

    private fun added(task: Disposable): Disposable = task.also { all.add(it) }

    override fun dispose() = all.dispose()

    override fun isDisposed() = all.isDisposed
  }
}
