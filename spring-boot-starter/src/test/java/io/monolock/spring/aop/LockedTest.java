// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.reactor.CurrentLock;
import io.monolock.spring.Locked;
import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.store.LockStore;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.util.AopTestUtils;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** What a lock around a method spans, and which methods get one. */
class LockedTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  AopAutoConfiguration.class,
                  LockedAutoConfiguration.class,
                  MonolockAutoConfiguration.class))
          .withPropertyValues("monolock.wait-at-most=0s", "app.wait=10ms", "app.name=shop")
          .withBean("store", LockStore.class, InMemoryLockStore::create);

  static class OrderService {

    final AtomicInteger calls = new AtomicInteger();
    final Sinks.One<String> outcome = Sinks.one();
    final Sinks.Many<String> steps = Sinks.many().unicast().onBackpressureBuffer();

    @Locked(keys = "'order:' + #id")
    Mono<String> pay(long id) {
      calls.incrementAndGet();
      return outcome.asMono();
    }

    @Locked(keys = "'order:' + #id")
    Flux<String> follow(long id) {
      return steps.asFlux();
    }

    @Locked(keys = "'order:' + #id", finishOnCancel = true)
    Mono<String> payToTheEnd(long id) {
      return outcome.asMono();
    }

    @Locked(keys = "'order:' + #id")
    Mono<String> throwing(long id) throws Exception {
      throw new IOException("no payment");
    }

    @Locked(keys = "'order:' + #id")
    Mono<String> missing(long id) {
      return null;
    }

    @Locked(keys = "'order:' + #id")
    Mono<String> current(long id) {
      return CurrentLock.get().map(lock -> lock.keys().toString());
    }

    Mono<String> unlocked(long id) {
      return outcome.asMono();
    }
  }

  private void orders(Steps steps) {
    runner
        .withBean(OrderService.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              OrderService orders = context.getBean(OrderService.class);
              OrderService work = AopTestUtils.getTargetObject(orders);
              steps.run(orders, work, context.getBean(LockStore.class));
            });
  }

  private interface Steps {
    void run(OrderService orders, OrderService work, LockStore store) throws Exception;
  }

  private static boolean isHeld(LockStore store, String key) {
    return Boolean.TRUE.equals(store.inspect(key).hasElement().block(LIMIT));
  }

  @Test
  void aCallAloneLocksNothingAndCallsNothing() {
    orders(
        (orders, work, store) -> {
          Mono<String> unused = orders.pay(42);
          assertThat(orders.unlocked(42)).isNotNull();
          assertThat(isHeld(store, "order:42")).isFalse();
        });
  }

  @Test
  void theLockSpansTheSubscriptionOfAMono() {
    orders(
        (orders, work, store) ->
            StepVerifier.create(orders.pay(42))
                .expectSubscription()
                .then(() -> await().until(() -> isHeld(store, "order:42")))
                .then(() -> work.outcome.tryEmitValue("paid"))
                .expectNext("paid")
                .then(() -> assertThat(isHeld(store, "order:42")).isFalse())
                .expectComplete()
                .verify(LIMIT));
  }

  @Test
  void theLockSpansTheSubscriptionOfAFlux() {
    orders(
        (orders, work, store) -> {
          StepVerifier.create(orders.follow(42))
              .then(() -> work.steps.tryEmitNext("packed"))
              .expectNext("packed")
              .then(() -> assertThat(isHeld(store, "order:42")).isTrue())
              .then(() -> work.steps.tryEmitComplete())
              .expectComplete()
              .verify(LIMIT);
          assertThat(isHeld(store, "order:42")).isFalse();
        });
  }

  @Test
  void eachSubscriptionTakesTheLockAndCallsTheMethod() {
    orders(
        (orders, work, store) -> {
          work.outcome.tryEmitValue("paid");
          Mono<String> payment = orders.pay(42);
          assertThat(payment.repeat(2).collectList().block(LIMIT))
              .containsExactly("paid", "paid", "paid");
          assertThat(work.calls).hasValue(3);
        });
  }

  @Test
  void aSecondCallFailsAsTheLockIsHeld() {
    orders(
        (orders, work, store) -> {
          Disposable first = orders.pay(42).subscribe(paid -> {}, e -> {});
          await().until(() -> isHeld(store, "order:42"));
          StepVerifier.create(orders.pay(42))
              .expectErrorSatisfies(
                  e ->
                      assertThat(e)
                          .isInstanceOfSatisfying(
                              LockNotAcquiredException.class,
                              busy -> assertThat(busy.keys()).containsExactly("order:42")))
              .verify(LIMIT);
          first.dispose();
        });
  }

  @Test
  void aCancelledSubscriptionFreesTheLock() {
    orders(
        (orders, work, store) -> {
          Disposable first = orders.pay(42).subscribe(paid -> {}, e -> {});
          await().until(() -> isHeld(store, "order:42"));
          first.dispose();
          await().until(() -> !isHeld(store, "order:42"));
        });
  }

  @Test
  void withFinishOnCancelTheLockIsFreedAtTheEndOfTheWork() {
    orders(
        (orders, work, store) -> {
          Disposable first = orders.payToTheEnd(42).subscribe(paid -> {}, e -> {});
          await().until(() -> work.outcome.currentSubscriberCount() == 1);
          first.dispose();
          await().during(Duration.ofMillis(100)).until(() -> isHeld(store, "order:42"));
          work.outcome.tryEmitValue("paid");
          await().until(() -> !isHeld(store, "order:42"));
        });
  }

  @Test
  void whatTheMethodThrowsIsAnErrorAndFreesTheLock() {
    orders(
        (orders, work, store) -> {
          StepVerifier.create(orders.throwing(42)).expectErrorMessage("no payment").verify(LIMIT);
          assertThat(isHeld(store, "order:42")).isFalse();
        });
  }

  @Test
  void theWorkFindsItsLockInTheContext() {
    orders(
        (orders, work, store) ->
            assertThat(orders.current(42).block(LIMIT)).isEqualTo("[order:42]"));
  }

  @Test
  void aMethodThatReturnsNullIsNamed() {
    orders(
        (orders, work, store) ->
            StepVerifier.create(orders.missing(42))
                .expectErrorMessage(
                    "@Locked on "
                        + OrderService.class.getName()
                        + ".missing(long): the method must not"
                        + " return null, but did")
                .verify(LIMIT));
  }

  interface Tickets {
    @Locked(keys = "'seat:' + #p0")
    Mono<String> sell(int seat);
  }

  static class InterfaceAnnotatedOffice implements Tickets {
    @Override
    public Mono<String> sell(int place) {
      return Mono.just("sold");
    }
  }

  @Locked(keys = "'seat:' + #seat", ttl = "1s")
  @Retention(RetentionPolicy.RUNTIME)
  @interface SeatLocked {
    @AliasFor(annotation = Locked.class)
    String waitAtMost() default "5s";
  }

  static class Counter {
    @SeatLocked(waitAtMost = "${app.wait}")
    Mono<String> sell(int seat) {
      return Mono.just("sold");
    }
  }

  private <T> void aHeldSeatIsNotSold(
      ApplicationContextRunner runner,
      Class<T> type,
      java.util.function.Function<T, Mono<?>> call) {
    runner.run(
        context -> {
          assertThat(context).hasNotFailed();
          T office = context.getBean(type);
          ReactiveLocker locker = context.getBean(ReactiveLocker.class);
          assertThat(call.apply(office).block(LIMIT)).isEqualTo("sold");
          locker.acquire("seat:7", LIMIT).block(LIMIT);
          StepVerifier.create(call.apply(office))
              .expectError(LockNotAcquiredException.class)
              .verify(LIMIT);
        });
  }

  @Test
  void annotationsOfInterfacesCountWithClassProxies() {
    aHeldSeatIsNotSold(
        runner.withBean(InterfaceAnnotatedOffice.class),
        InterfaceAnnotatedOffice.class,
        office -> office.sell(7));
  }

  @Test
  void annotationsOfInterfacesCountWithInterfaceProxies() {
    aHeldSeatIsNotSold(
        runner
            .withPropertyValues("spring.aop.proxy-target-class=false")
            .withBean(Tickets.class, InterfaceAnnotatedOffice::new),
        Tickets.class,
        office -> {
          assertThat(AopUtils.isJdkDynamicProxy(office)).isTrue();
          return office.sell(7);
        });
  }

  static class AnnotatedOffice implements Plain {
    @Override
    @Locked(keys = "'seat:' + #seat")
    public Mono<String> sell(int seat) {
      return Mono.just("sold");
    }
  }

  interface Plain {
    Mono<String> sell(int place);
  }

  @Test
  void annotationsOfClassesCountWithInterfaceProxies() {
    aHeldSeatIsNotSold(
        runner
            .withPropertyValues("spring.aop.proxy-target-class=false")
            .withBean(Plain.class, AnnotatedOffice::new),
        Plain.class,
        office -> office.sell(7));
  }

  static final class FinalOffice implements Plain {
    @Override
    @Locked(keys = "'seat:' + #seat")
    public Mono<String> sell(int seat) {
      return Mono.just("sold");
    }
  }

  @Test
  void aFinalClassIsLockedByItsInterface() {
    aHeldSeatIsNotSold(
        runner
            .withPropertyValues("spring.aop.proxy-target-class=false")
            .withBean(Plain.class, FinalOffice::new),
        Plain.class,
        office -> office.sell(7));
  }

  @Test
  void annotationsOfOurOwnCountAndTheirTextsMayHavePlaceholders() {
    aHeldSeatIsNotSold(runner.withBean(Counter.class), Counter.class, counter -> counter.sell(7));
  }

  static class TwoStores {
    @Locked(keys = "'seat:7'", locker = "second")
    Mono<String> sell() {
      return Mono.just("sold");
    }
  }

  @Test
  void oneOfSeveralLockersIsNamed() {
    ReactiveLocker first = ReactiveLocker.create(InMemoryLockStore.create());
    ReactiveLocker second = ReactiveLocker.create(InMemoryLockStore.create());
    runner
        .withBean("first", ReactiveLocker.class, () -> first)
        .withBean("second", ReactiveLocker.class, () -> second)
        .withBean(TwoStores.class)
        .run(
            context -> {
              first.acquire("seat:7", LIMIT).block(LIMIT);
              TwoStores stores = context.getBean(TwoStores.class);
              assertThat(stores.sell().block(LIMIT)).isEqualTo("sold");
              second.acquire("seat:7", LIMIT).block(LIMIT);
              StepVerifier.create(stores.sell().timeout(Duration.ofMillis(100)))
                  .expectError()
                  .verify(LIMIT);
            });
  }

  @Test
  void withSeveralLockersAnAnnotationThatNamesNoneFailsTheStart() {
    runner
        .withBean("reports", ReactiveLocker.class, LockedTest::anotherLocker)
        .withBean(AnnotatedOffice.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasMessageContainingAll(
                        ".sell(int) does not say which ReactiveLocker it means",
                        "reports",
                        "monolockLocker",
                        "@Primary",
                        "locker = "));
  }

  @Test
  void aLockerThatIsNoDefaultCandidateIsOnlyUsedByItsName() {
    aHeldSeatIsNotSold(
        runner
            .withBean(
                "reports",
                ReactiveLocker.class,
                LockedTest::anotherLocker,
                definition -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false))
            .withBean(AnnotatedOffice.class),
        AnnotatedOffice.class,
        office -> office.sell(7));
  }

  @Test
  void thePrimaryLockerIsTheDefault() {
    aHeldSeatIsNotSold(
        runner
            .withBean(
                "reports",
                ReactiveLocker.class,
                () ->
                    ReactiveLocker.builder(InMemoryLockStore.create())
                        .defaults(LockOptions.of(LIMIT).waitAtMost(Duration.ZERO))
                        .build(),
                definition -> definition.setPrimary(true))
            .withBean(AnnotatedOffice.class),
        AnnotatedOffice.class,
        office -> office.sell(7));
  }

  private static ReactiveLocker anotherLocker() {
    return ReactiveLocker.create(InMemoryLockStore.create());
  }

  @Test
  void aLockerThatDoesNotExistFailsTheStart() {
    runner
        .withBean(TwoStores.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasMessage(
                        "@Locked on "
                            + TwoStores.class.getName()
                            + ".sell() needs a ReactiveLocker bean named second"));
  }

  @Test
  void anApplicationWithoutALockerFailsAtTheStart() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(LockedAutoConfiguration.class))
        .withBean(InterfaceAnnotatedOffice.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasMessageContaining(
                        ".sell(int) needs a ReactiveLocker bean, but there is none"));
  }

  static class Several {

    final AtomicInteger calls = new AtomicInteger();

    @Locked(keys = {"'a:' + #one", "#many", "#p2"})
    Mono<Integer> all(long one, List<String> many, Object... others) {
      return Mono.fromCallable(calls::incrementAndGet);
    }

    @Locked(keys = "#root.methodName + ':' + #root.args[0] + ':' + #root.targetClass.simpleName")
    Mono<Integer> byRoot(Object value) {
      return Mono.fromCallable(calls::incrementAndGet);
    }

    @Locked(keys = "@prefix + #value")
    Mono<Integer> byBean(Object value) {
      return Mono.fromCallable(calls::incrementAndGet);
    }

    @Locked(keys = "#value")
    Mono<Integer> by(Object value) {
      return Mono.fromCallable(calls::incrementAndGet);
    }

    @Locked(key = "${app.name}:job #1 at 100%")
    Mono<Integer> byText() {
      return Mono.fromCallable(calls::incrementAndGet);
    }

    @Locked(
        keys =
            "{method.name, args[0], toString().isEmpty() ? targetClass : 'x', #many.![length()],"
                + " #many.?[isEmpty()].size(), T(java.util.Map).of('a', 1)[a], {b: 2}[b]}"
                + ".get(0)")
    Mono<Integer> byAllSorts(String first, List<String> many) {
      return Mono.fromCallable(calls::incrementAndGet);
    }

    @Locked(keys = "#value.id")
    Mono<Integer> byField(Object value) {
      return Mono.fromCallable(calls::incrementAndGet);
    }
  }

  private void several(Consumer<Several> steps, String... held) {
    runner
        .withBean(Several.class)
        .withBean("prefix", String.class, () -> "shop:")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              ReactiveLocker locker = context.getBean(ReactiveLocker.class);
              for (String key : held) {
                locker.acquire(key, LIMIT).block(LIMIT);
              }
              steps.accept(context.getBean(Several.class));
            });
  }

  private static void isHeldBy(String key, Mono<?> call) {
    StepVerifier.create(call)
        .expectErrorSatisfies(
            e ->
                assertThat(e)
                    .isInstanceOfSatisfying(
                        LockNotAcquiredException.class,
                        busy -> assertThat(busy.keys()).contains(key)))
        .verify(LIMIT);
  }

  @Test
  void severalExpressionsAndCollectionsAreSeveralKeys() {
    several(
        all -> {
          isHeldBy("a:1", all.all(1, List.of("free"), "other"));
          isHeldBy("b", all.all(2, List.of("free", "b"), "other"));
          isHeldBy("3", all.all(2, List.of("free"), 3, 4L));
          assertThat(all.all(2, List.of("free"), "other").block(LIMIT)).isEqualTo(1);
        },
        "a:1",
        "b",
        "3");
  }

  @Test
  void expressionsMayNameTheCallAndBeans() {
    several(
        all -> {
          isHeldBy("byRoot:7:Several", all.byRoot(7));
          isHeldBy("shop:7", all.byBean(7));
        },
        "byRoot:7:Several",
        "shop:7");
  }

  @Test
  void aTextIsAKeyAsItStands() {
    several(all -> isHeldBy("shop:job #1 at 100%", all.byText()), "shop:job #1 at 100%");
  }

  @Test
  void whatIsNotEvaluatedOnTheRootMayHaveAnyName() {
    several(all -> isHeldBy("byAllSorts", all.byAllSorts("a", List.of("b"))), "byAllSorts");
  }

  private enum Hall {
    GREAT {
      @Override
      public String toString() {
        return "the great hall";
      }
    }
  }

  @Test
  void anEnumIsAKeyByItsName() {
    several(all -> isHeldBy("GREAT", all.by(Hall.GREAT)), "GREAT");
  }

  private static void isRefused(Mono<?> call, String expression, String why) {
    StepVerifier.create(call)
        .expectErrorSatisfies(
            e ->
                assertThat(e)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("@Locked on " + Several.class.getName())
                    .hasMessageContaining("the expression \"" + expression + "\"")
                    .hasMessageContaining(why))
        .verify(LIMIT);
  }

  @Test
  void whatIsNoKeyIsAnErrorThatNamesMethodAndExpression() {
    several(
        all -> {
          isRefused(all.by(null), "#value", "gave null");
          isRefused(all.by(""), "#value", "gave an empty one");
          isRefused(all.by(List.of()), "#value", "gave none");
          isRefused(all.by(new String[0]), "#value", "gave none");
          isRefused(all.by(List.of("a", "")), "#value", "gave an empty one");
          isRefused(all.by(new Object()), "#value", "gave a java.lang.Object");
          isRefused(all.byField("text"), "#value.id", "failed");
          Several work = AopTestUtils.getTargetObject(all);
          assertThat(work.calls).hasValue(0);
        });
  }
}
