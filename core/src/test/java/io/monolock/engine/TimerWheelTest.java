// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

class TimerWheelTest {

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final TimerWheel wheel = new TimerWheel(time);
  private final AtomicInteger runs = new AtomicInteger();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PT0.000000001S",
        "PT0.05S",
        "PT0.1S",
        "PT0.100000001S",
        "PT0.25S",
        "PT59.95S",
        "PT1M",
        "PT1M0.05S",
        "PT2M30.333S",
        "PT24H"
      })
  void taskRunsAtItsTimeToTheNanosecond(Duration delay) {
    time.advanceTimeBy(Duration.ofMillis(33));
    wheel.after(delay, runs::incrementAndGet);

    time.advanceTimeBy(delay.minusNanos(1));
    assertThat(runs).hasValue(0);
    time.advanceTimeBy(Duration.ofNanos(1));
    assertThat(runs).hasValue(1);
  }

  @Test
  void taskOfThePastRunsAtOnce() {
    wheel.at(time.now(TimeUnit.NANOSECONDS) - 1, runs::incrementAndGet);
    time.advanceTime();

    assertThat(runs).hasValue(1);
  }

  @Test
  void everyTaskRunsOnceInOneJumpOfADay() {
    List<Long> ranAt = new ArrayList<>();
    for (int minute = 1; minute <= 24 * 60; minute++) {
      wheel.after(Duration.ofMinutes(minute), () -> ranAt.add(time.now(TimeUnit.MINUTES)));
    }

    time.advanceTimeBy(Duration.ofDays(1));

    assertThat(ranAt).hasSize(24 * 60).isSorted().endsWith(24L * 60).startsWith(1L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0.05S", "PT10S", "PT24H"})
  void cancelledTaskDoesNotRun(Duration delay) {
    wheel.after(delay, runs::incrementAndGet).cancel();

    time.advanceTimeBy(delay.multipliedBy(2));

    assertThat(runs).hasValue(0);
  }

  @Test
  void cancelledTasksAreForgottenAtOnce() {
    List<TimerWheel.Task> tasks = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      tasks.add(wheel.after(Duration.ofHours(i), runs::incrementAndGet));
    }

    tasks.forEach(TimerWheel.Task::cancel);

    assertThat(wheel.size()).isZero();
  }

  @Test
  void wheelStopsTickingWhenItIsEmpty() {
    wheel.after(Duration.ofSeconds(5), runs::incrementAndGet);
    time.advanceTimeBy(Duration.ofSeconds(6));
    long scheduled = time.getScheduledTaskCount();

    time.advanceTimeBy(Duration.ofHours(1));

    assertThat(time.getScheduledTaskCount()).isEqualTo(scheduled);
  }

  @Test
  void wheelTicksAgainForTheNextTask() {
    wheel.after(Duration.ofSeconds(5), runs::incrementAndGet);
    time.advanceTimeBy(Duration.ofHours(1));

    wheel.after(Duration.ofSeconds(5), runs::incrementAndGet);
    time.advanceTimeBy(Duration.ofSeconds(5));

    assertThat(runs).hasValue(2);
  }

  @Test
  void stoppedWheelRunsNothingAndKeepsNothing() {
    wheel.after(Duration.ofMillis(50), runs::incrementAndGet);
    wheel.after(Duration.ofSeconds(5), runs::incrementAndGet);

    wheel.stop();
    wheel.after(Duration.ofSeconds(5), runs::incrementAndGet);
    time.advanceTimeBy(Duration.ofMinutes(1));

    assertThat(runs).hasValue(0);
    assertThat(wheel.size()).isZero();
  }

  @Test
  void hundredThousandTasksRunAtTheirTimes() {
    Random random = new Random(1);
    AtomicInteger wrong = new AtomicInteger();
    for (int i = 0; i < 100_000; i++) {
      long at = (long) (random.nextDouble() * Duration.ofMinutes(3).toNanos());
      wheel.at(
          at,
          () -> {
            runs.incrementAndGet();
            if (time.now(TimeUnit.NANOSECONDS) != at) {
              wrong.incrementAndGet();
            }
          });
    }

    time.advanceTimeBy(Duration.ofMinutes(3));

    assertThat(runs).hasValue(100_000);
    assertThat(wrong).hasValue(0);
  }

  @RepeatedTest(20)
  void threadsThatAddAndCancelLoseNothing() throws Exception {
    Scheduler timer = Schedulers.newSingle("wheel-test");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      TimerWheel wheel = new TimerWheel(timer);
      int each = 500;
      CountDownLatch toRun = new CountDownLatch(4 * each);
      AtomicInteger early = new AtomicInteger();
      for (int t = 0; t < 4; t++) {
        Random random = new Random(t);
        threads.execute(
            () -> {
              for (int i = 0; i < each; i++) {
                long at = wheel.now() + random.nextInt((int) Duration.ofMillis(400).toNanos());
                wheel.after(Duration.ofHours(1), runs::incrementAndGet).cancel();
                wheel.at(
                    at,
                    () -> {
                      if (wheel.now() < at) {
                        early.incrementAndGet();
                      }
                      toRun.countDown();
                    });
              }
            });
      }

      assertThat(toRun.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(early).hasValue(0);
      assertThat(runs).hasValue(0);
      assertThat(wheel.size()).isZero();
    } finally {
      threads.shutdownNow();
      timer.dispose();
    }
  }
}
