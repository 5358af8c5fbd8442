// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

class PublishingTimerTest {

  private final VirtualTimeScheduler timer = VirtualTimeScheduler.create();
  private final Queue<Runnable> forUsers = new ArrayDeque<>();
  private final Scheduler users = Schedulers.fromExecutor(forUsers::add);
  private final PublishingTimer publishing = new PublishingTimer(timer, users);
  private final List<String> done = new ArrayList<>();

  private void runForUsers() {
    while (!forUsers.isEmpty()) {
      forUsers.remove().run();
    }
  }

  @Test
  void aDelayIsMeasuredByTheTimerAndEndsOnTheOtherScheduler() {
    publishing.schedule(() -> done.add("task"), 1, SECONDS);
    timer.advanceTimeBy(Duration.ofNanos(999_999_999));
    assertThat(forUsers).isEmpty();

    timer.advanceTimeBy(Duration.ofNanos(1));
    assertThat(done).isEmpty();
    runForUsers();
    assertThat(done).containsExactly("task");
  }

  /** This timer runs a task that is due before it returns. */
  @Test
  void aDelayThatEndsBeforeItsTimerIsKnownIsNotLost() {
    publishing.schedule(() -> done.add("task"), 0, NANOSECONDS);
    runForUsers();

    assertThat(done).containsExactly("task");
  }

  @Test
  void whatIsDisposedDuringItsDelayDoesNotRun() {
    Disposable task = publishing.schedule(() -> done.add("task"), 1, SECONDS);
    task.dispose();
    timer.advanceTimeBy(Duration.ofSeconds(1));
    runForUsers();

    assertThat(done).isEmpty();
  }

  @Test
  void whatIsDisposedAfterItsDelayDoesNotRun() {
    Disposable task = publishing.schedule(() -> done.add("task"), 1, SECONDS);
    timer.advanceTimeBy(Duration.ofSeconds(1));
    task.dispose();
    runForUsers();

    assertThat(done).isEmpty();
  }

  @Test
  void aSignalIsNotLostWhenTheOtherSchedulerIsDisposed() {
    users.dispose();
    publishing.schedule(() -> done.add("at once"));
    publishing.schedule(() -> done.add("later"), 1, SECONDS);
    timer.advanceTimeBy(Duration.ofSeconds(1));

    assertThat(done).containsExactly("at once", "later");
  }

  @Test
  void operatorsCanUseIt() {
    Mono.delay(Duration.ofSeconds(1), publishing)
        .map(any -> "delayed")
        .publishOn(publishing)
        .subscribe(done::add);
    timer.advanceTimeBy(Duration.ofSeconds(1));
    runForUsers();

    assertThat(done).containsExactly("delayed");
  }
}
