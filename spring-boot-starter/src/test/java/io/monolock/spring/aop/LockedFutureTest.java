// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.spring.Locked;
import io.monolock.spring.Locked.OnBusy;
import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.store.LockStore;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.util.AopTestUtils;

/** A lock around a method that gives a future spans the time until that has ended. */
class LockedFutureTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  AopAutoConfiguration.class,
                  LockedAutoConfiguration.class,
                  MonolockAutoConfiguration.class))
          .withPropertyValues("monolock.wait-at-most=0s")
          .withBean("store", LockStore.class, InMemoryLockStore::create);

  static class Orders {

    final CompletableFuture<String> outcome = new CompletableFuture<>();

    @Locked(keys = "'order:' + #id")
    CompletableFuture<String> pay(long id) {
      return outcome;
    }

    @Locked(keys = "'order:' + #id", onBusy = OnBusy.SKIP)
    CompletionStage<String> payUnlessBusy(long id) {
      return CompletableFuture.completedStage("paid");
    }

    @Locked(keys = "'order:' + #id")
    CompletableFuture<String> throwing(long id) throws Exception {
      throw new IOException("no payment");
    }

    @Locked(keys = "'order:' + #id")
    CompletableFuture<String> missing(long id) {
      return null;
    }

    @Locked(keys = "#id")
    CompletableFuture<String> of(String id) {
      return CompletableFuture.completedFuture("paid");
    }
  }

  private interface Steps {
    void run(Orders orders, Orders work, ReactiveLocker locker) throws Exception;
  }

  private void orders(Steps steps) {
    runner
        .withBean(Orders.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              Orders orders = context.getBean(Orders.class);
              steps.run(
                  orders,
                  AopTestUtils.getTargetObject(orders),
                  context.getBean(ReactiveLocker.class));
            });
  }

  private static boolean isHeld(ReactiveLocker locker) {
    return Boolean.TRUE.equals(locker.inspect("order:42").hasElement().block(LIMIT));
  }

  private static void failsWith(
      CompletionStage<?> future, Class<? extends Throwable> type, String message) {
    assertThatThrownBy(() -> future.toCompletableFuture().get(20, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(type)
        .hasMessageContaining(message);
  }

  @Test
  void theLockSpansTheFuture() {
    orders(
        (orders, work, locker) -> {
          CompletableFuture<String> payment = orders.pay(42);
          await().until(() -> isHeld(locker));
          failsWith(orders.pay(42), LockNotAcquiredException.class, "order:42");
          work.outcome.complete("paid");
          assertThat(payment.get(20, TimeUnit.SECONDS)).isEqualTo("paid");
          assertThat(isHeld(locker)).isFalse();
        });
  }

  @Test
  void aCancelledFutureCancelsTheWorkAndFreesTheLock() {
    orders(
        (orders, work, locker) -> {
          CompletableFuture<String> payment = orders.pay(42);
          await().until(() -> isHeld(locker));
          assertThat(payment.cancel(true)).isTrue();
          await().until(() -> work.outcome.isCancelled() && !isHeld(locker));
        });
  }

  @Test
  void errorsAreThoseOfTheFuture() {
    orders(
        (orders, work, locker) -> {
          failsWith(orders.throwing(42), IOException.class, "no payment");
          failsWith(orders.missing(42), IllegalStateException.class, "must not return null");
          failsWith(orders.of(""), IllegalArgumentException.class, "gave an empty one");
          assertThat(isHeld(locker)).isFalse();
        });
  }

  @Test
  void aCallThatIsSkippedGivesNull() {
    orders(
        (orders, work, locker) -> {
          Lock lock = locker.acquire("order:42", LIMIT).block(LIMIT);
          assertThat(orders.payUnlessBusy(42).toCompletableFuture().get(20, TimeUnit.SECONDS))
              .isNull();
          assertThat(lock.release().block(LIMIT)).isTrue();
          assertThat(orders.payUnlessBusy(42).toCompletableFuture().get(20, TimeUnit.SECONDS))
              .isEqualTo("paid");
        });
  }
}
