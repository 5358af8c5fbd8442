// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.spring.Locked;
import io.monolock.spring.Locked.OnBusy;
import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.spring.SkipObserver;
import io.monolock.spring.metrics.MetricsAutoConfiguration;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.test.util.AopTestUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Calls that do nothing while another holder has a key. */
class SkippedTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  AopAutoConfiguration.class,
                  LockedAutoConfiguration.class,
                  MetricsAutoConfiguration.class,
                  MonolockAutoConfiguration.class))
          .withBean("store", LockStore.class, InMemoryLockStore::create)
          .withBean(MeterRegistry.class, SimpleMeterRegistry::new);

  static class Reports {

    final AtomicInteger runs = new AtomicInteger();

    @Locked(keys = "'report'", onBusy = OnBusy.SKIP)
    Mono<String> write() {
      return Mono.fromCallable(() -> "report " + runs.incrementAndGet());
    }

    @Locked(keys = "'report'", onBusy = OnBusy.SKIP)
    Flux<String> pages() {
      return Flux.just("one", "two");
    }

    @Locked(keys = "'report'", onBusy = OnBusy.SKIP, waitAtMost = "20s")
    Mono<String> writeLater() {
      return write("later");
    }

    @Locked(keys = "'other'", onBusy = OnBusy.SKIP)
    Mono<String> busyWithin() {
      return Mono.error(
          new LockNotAcquiredException(Set.of("inner"), 1, Duration.ZERO, Duration.ZERO));
    }

    @Locked(keys = "'hourly'", onBusy = OnBusy.SKIP, holdAtLeast = "1h")
    Mono<String> hourly() {
      return write("hourly");
    }

    private Mono<String> write(String what) {
      return Mono.fromCallable(() -> what + " " + runs.incrementAndGet());
    }
  }

  private void reports(ContextConsumer<AssertableApplicationContext> steps) {
    runner
        .withBean(Reports.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              steps.accept(context);
            });
  }

  private static Lock hold(AssertableApplicationContext context, String key) {
    Lock lock = context.getBean(ReactiveLocker.class).acquire(key, LIMIT).block(LIMIT);
    assertThat(lock).isNotNull();
    return lock;
  }

  private static double skipped(AssertableApplicationContext context, String method) {
    return context
        .getBean(MeterRegistry.class)
        .get("monolock.skipped")
        .tag("class", Reports.class.getName())
        .tag("method", method)
        .counter()
        .count();
  }

  @Test
  void aFreeKeyIsLockedAsEver() {
    reports(
        context -> {
          Reports reports = context.getBean(Reports.class);
          assertThat(reports.write().block(LIMIT)).isEqualTo("report 1");
          assertThat(reports.pages().collectList().block(LIMIT)).containsExactly("one", "two");
          assertThat(skipped(context, "write")).isZero();
        });
  }

  @Test
  void whileAnotherHasTheKeyACallEndsEmptyAtOnceAndIsCounted() {
    reports(
        context -> {
          Reports reports = context.getBean(Reports.class);
          Lock lock = hold(context, "report");
          StepVerifier.create(reports.write()).expectComplete().verify(Duration.ofSeconds(5));
          StepVerifier.create(reports.pages()).expectComplete().verify(Duration.ofSeconds(5));
          Reports work = AopTestUtils.getTargetObject(reports);
          assertThat(work.runs).hasValue(0);
          assertThat(skipped(context, "write")).isEqualTo(1);
          assertThat(skipped(context, "pages")).isEqualTo(1);
          lock.release().block(LIMIT);
          assertThat(reports.write().block(LIMIT)).isEqualTo("report 1");
        });
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void nothingIsLoggedAboveDebug(CapturedOutput output) {
    reports(
        context -> {
          Lock lock = hold(context, "report");
          String before = output.getAll();
          assertThat(context.getBean(Reports.class).write().block(LIMIT)).isNull();
          assertThat(output.getAll().substring(before.length())).doesNotContain("INFO", "WARN");
          lock.release().block(LIMIT);
        });
  }

  @Test
  void aTimeToWaitOnTheAnnotationIsWaited() {
    reports(
        context -> {
          Lock lock = hold(context, "report");
          StepVerifier.create(context.getBean(Reports.class).writeLater())
              .expectSubscription()
              .then(
                  () ->
                      await()
                          .until(
                              () ->
                                  context.getBean(ReactiveLocker.class).activity().stream()
                                      .anyMatch(one -> one.toString().contains("WAITING"))))
              .then(() -> lock.release().subscribe())
              .expectNext("later 1")
              .expectComplete()
              .verify(LIMIT);
        });
  }

  @Test
  void aLockThatTheMethodItselfCannotGetIsItsError() {
    reports(
        context ->
            StepVerifier.create(context.getBean(Reports.class).busyWithin())
                .expectErrorSatisfies(
                    e ->
                        assertThat(e)
                            .isInstanceOfSatisfying(
                                LockNotAcquiredException.class,
                                busy -> assertThat(busy.keys()).containsExactly("inner")))
                .verify(LIMIT));
  }

  @Test
  void withHoldAtLeastTheMethodRunsOnceInThatTime() {
    reports(
        context -> {
          Reports reports = context.getBean(Reports.class);
          assertThat(reports.hourly().block(LIMIT)).isEqualTo("hourly 1");
          assertThat(reports.hourly().block(LIMIT)).isNull();
          assertThat(skipped(context, "hourly")).isEqualTo(1);
        });
  }

  @Test
  void anObserverThatFailsDoesNotFailTheCall() {
    runner
        .withBean(
            SkipObserver.class,
            () ->
                method -> {
                  throw new IllegalStateException(method.getName());
                })
        .withBean(Reports.class)
        .run(
            context -> {
              Lock lock = hold(context, "report");
              assertThat(context.getBean(Reports.class).write().block(LIMIT)).isNull();
              lock.release().block(LIMIT);
            });
  }

  static class Job {

    final AtomicInteger runs = new AtomicInteger();

    @Scheduled(fixedRate = 10)
    @Locked(keys = "'nightly'", onBusy = OnBusy.SKIP, holdAtLeast = "1h")
    Mono<Void> run() {
      return Mono.fromRunnable(runs::incrementAndGet);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableScheduling
  static class Schedule {
    @Bean
    Job job() {
      return new Job();
    }
  }

  @Test
  void ofAllTicksOfAScheduleOneRunsTheJob() {
    runner
        .withUserConfiguration(Schedule.class)
        .run(
            context -> {
              await()
                  .atMost(LIMIT)
                  .until(
                      () ->
                          context
                                  .getBean(MeterRegistry.class)
                                  .get("monolock.skipped")
                                  .counter()
                                  .count()
                              >= 3);
              Job job = AopTestUtils.getTargetObject(context.getBean(Job.class));
              assertThat(job.runs).hasValue(1);
            });
  }
}
