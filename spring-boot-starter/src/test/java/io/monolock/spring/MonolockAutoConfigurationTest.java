// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.monolock.Lock;
import io.monolock.LockObserver;
import io.monolock.LockOptions;
import io.monolock.LockerClosedException;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Answers;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.util.context.ContextView;

/** The locker that an application gets, and what it is made of. */
class MonolockAutoConfigurationTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final ApplicationContextRunner bare =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(MonolockAutoConfiguration.class));
  private final ApplicationContextRunner inMemory =
      bare.withBean("store", LockStore.class, InMemoryLockStore::create);

  @Test
  void withoutAStoreThereIsNoLocker() {
    bare.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactiveLocker.class));
  }

  @Test
  void theLockerKeepsItsLocksInTheStoreOfTheApplication() {
    inMemory.run(
        context -> {
          context.getBean(ReactiveLocker.class).acquire("order:42", LIMIT).block(LIMIT);
          assertThat(context.getBean(LockStore.class).inspect("order:42").block(LIMIT)).isNotNull();
        });
  }

  @Test
  void aLockerOfTheApplicationStandsBesideOurs() {
    ReactiveLocker own = ReactiveLocker.create(InMemoryLockStore.create());
    inMemory
        .withBean("reports", ReactiveLocker.class, () -> own)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBeanNamesForType(ReactiveLocker.class))
                  .containsExactlyInAnyOrder("reports", "monolockLocker");
              ReactiveLocker ours = context.getBean("monolockLocker", ReactiveLocker.class);
              assertThat(ours).isNotSameAs(own);
              ours.acquire("order:42", LIMIT).block(LIMIT);
              assertThat(context.getBean(LockStore.class).inspect("order:42").block(LIMIT))
                  .isNotNull();
            });
  }

  @Test
  void aLockerOfTheApplicationReplacesOursByItsName() {
    ReactiveLocker own = ReactiveLocker.create(InMemoryLockStore.create());
    inMemory
        .withBean("monolockLocker", ReactiveLocker.class, () -> own)
        .run(context -> assertThat(context).getBean(ReactiveLocker.class).isSameAs(own));
  }

  @Test
  void severalStoresOfWhichNoneIsPrimaryFailTheStartWithTheirNames() {
    inMemory
        .withBean("another", LockStore.class, InMemoryLockStore::create)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(NoUniqueBeanDefinitionException.class)
                    .hasMessageContainingAll("store", "another"));
  }

  @Test
  void aStoreThatIsNoDefaultCandidateLeavesOursWhereItIs() {
    inMemory
        .withBean("another", LockStore.class, InMemoryLockStore::create, noDefaultCandidate())
        .run(
            context -> {
              context.getBean(ReactiveLocker.class).acquire("order:42", LIMIT).block(LIMIT);
              LockStore ours = context.getBean("store", LockStore.class);
              assertThat(ours.inspect("order:42").block(LIMIT)).isNotNull();
            });
  }

  private static BeanDefinitionCustomizer noDefaultCandidate() {
    return definition -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false);
  }

  @Configuration(proxyBeanMethods = false)
  static class NamedLockers {
    @Bean(defaultCandidate = false)
    ReactiveLocker first(ReactiveLocker.Builder builder) {
      return builder.defaults(LockOptions.of(Duration.ofSeconds(1))).build();
    }

    @Bean(defaultCandidate = false)
    ReactiveLocker second(ReactiveLocker.Builder builder) {
      return builder.build();
    }
  }

  @Test
  void theBuilderMakesNamedLockersWithTheSettingsAndTheStoreOfOurs() {
    List<Long> ids = new CopyOnWriteArrayList<>();
    inMemory
        .withUserConfiguration(NamedLockers.class)
        .withPropertyValues("monolock.ttl=11s")
        .withBean(LockObserver.class, () -> new Numbers(ids))
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              ReactiveLocker ours = context.getBean(ReactiveLocker.class);
              ReactiveLocker first = context.getBean("first", ReactiveLocker.class);
              ReactiveLocker second = context.getBean("second", ReactiveLocker.class);
              assertThat(List.of(ours, first, second)).doesNotHaveDuplicates();
              assertThat(first.defaults().ttl()).isEqualTo(Duration.ofSeconds(1));
              assertThat(second.defaults().ttl()).isEqualTo(Duration.ofSeconds(11));
              first.acquire("order:42", LIMIT).block(LIMIT);
              assertThat(second.tryAcquire("order:42", LIMIT).block(LIMIT)).isNull();
              first.close().block(LIMIT);
              Lock lock = second.acquire("order:42", LIMIT).block(LIMIT);
              assertThat(ours.tryAcquire("order:42", LIMIT).block(LIMIT)).isNull();
              assertThat(lock.release().block(LIMIT)).isTrue();
              await().untilAsserted(() -> assertThat(ids).hasSize(4).doesNotHaveDuplicates());
            });
  }

  private record Numbers(List<Long> ids) implements LockObserver {
    @Override
    public void asked(long id, Set<String> keys, ContextView context) {
      ids.add(id);
    }
  }

  @Test
  void storesAreClosedAfterTheLockers() {
    List<String> events = new CopyOnWriteArrayList<>();
    LockStore store = mock(LockStore.class);
    ReactiveLocker locker = mock(ReactiveLocker.class);
    when(locker.close())
        .thenReturn(
            Mono.delay(Duration.ofMillis(50)).then(Mono.fromRunnable(() -> events.add("locker"))));
    when(store.close()).thenReturn(Mono.fromRunnable(() -> events.add("store")));
    LockerLifecycle lifecycle = new LockerLifecycle(List.of(locker), List.of(store));
    lifecycle.stop(() -> events.add("told"));
    await().untilAsserted(() -> assertThat(events).containsExactly("locker", "store", "told"));
  }

  @Test
  void withoutPropertiesTheLockerHasTheDefaultsOfTheLibrary() {
    LockOptions library = LockOptions.of(Duration.ofSeconds(30));
    inMemory.run(
        context -> {
          LockOptions defaults = context.getBean(ReactiveLocker.class).defaults();
          assertThat(defaults)
              .usingRecursiveComparison()
              .ignoringFields("retry")
              .isEqualTo(library);
          assertThat(defaults.retry())
              .usingRecursiveComparison()
              .comparingOnlyFields("minBackoff", "maxBackoff", "jitterFactor", "maxAttempts")
              .isEqualTo(library.retry());
        });
  }

  @Test
  void propertiesAreTheDefaultsOfTheLocker() {
    inMemory
        .withPropertyValues(
            "monolock.ttl=11s",
            "monolock.wait-at-most=12s",
            "monolock.auto-refresh=false",
            "monolock.max-hold=13s",
            "monolock.fenced=true",
            "monolock.metadata=node 7",
            "monolock.hold-at-least=14s",
            "monolock.finish-on-cancel=true",
            "monolock.retry.min-backoff=15ms",
            "monolock.retry.max-backoff=16ms",
            "monolock.retry.jitter=0.25")
        .run(
            context -> {
              LockOptions defaults = context.getBean(ReactiveLocker.class).defaults();
              assertThat(defaults)
                  .usingRecursiveComparison()
                  .ignoringFields("retry")
                  .isEqualTo(
                      LockOptions.of(Duration.ofSeconds(11))
                          .waitAtMost(Duration.ofSeconds(12))
                          .autoRefresh(false)
                          .maxHold(Duration.ofSeconds(13))
                          .fenced(true)
                          .metadata("node 7")
                          .holdAtLeast(Duration.ofSeconds(14))
                          .finishOnCancel(true));
              assertThat(defaults.retry())
                  .hasFieldOrPropertyWithValue("minBackoff", Duration.ofMillis(15))
                  .hasFieldOrPropertyWithValue("maxBackoff", Duration.ofMillis(16))
                  .hasFieldOrPropertyWithValue("jitterFactor", 0.25);
            });
  }

  @Test
  void propertiesSetHowTheLockerWorks() {
    inMemory
        .withPropertyValues(
            "monolock.command-timeout=1501ms",
            "monolock.close-timeout=1502ms",
            "monolock.turn=1503ms")
        .run(
            context -> {
              ReactiveLocker.Builder builder =
                  mock(ReactiveLocker.Builder.class, Answers.RETURNS_SELF);
              context.getBean(MonolockProperties.class).applyTo(builder);
              verify(builder).commandTimeout(Duration.ofMillis(1501));
              verify(builder).closeTimeout(Duration.ofMillis(1502));
              verify(builder).turn(Duration.ofMillis(1503));
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"monolock.hand-overs=3", "monolock.hand-over-time=1s", "monolock.stepBack=3ms"})
  void aPropertyThatIsNoMoreFailsTheStartAndNamesTheOneThatReplacesIt(String property) {
    inMemory
        .withPropertyValues(property)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("is no property any more")
                    .hasMessageContaining("monolock.turn"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "monolock.ttl=1ms | monolock.ttl: ttl must be between 10 ms and 365 days, was PT0.001S",
        "monolock.wait-at-most=-1s | monolock.wait-at-most: waitAtMost must be between",
        "monolock.max-hold=0s | monolock.max-hold: maxHold must be between",
        "monolock.hold-at-least=366d | monolock.hold-at-least: holdAtLeast must be between",
        "monolock.metadata=${bad} | monolock.metadata: metadata must be valid Unicode",
        "monolock.command-timeout=0s | monolock.command-timeout: commandTimeout must be between",
        "monolock.close-timeout=2h | monolock.close-timeout: closeTimeout must be between",
        "monolock.turn=-1s | monolock.turn: turn must be between",
        "monolock.retry.max-backoff=1ms | monolock.retry.min-backoff must be between",
        "monolock.retry.jitter=2 | monolock.retry.jitter must be between 0 and 1, was 2"
      })
  void aPropertyOutOfRangeFailsTheStartAndIsNamed(String property, String message) {
    inMemory
        .withPropertyValues(property, "bad=\ud800")
        .run(
            context ->
                assertThat(causesOf(context.getStartupFailure()))
                    .anyMatch(e -> String.valueOf(e.getMessage()).startsWith(message)));
  }

  private static Stream<Throwable> causesOf(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "monolock.ttl",
        "monolock.wait-at-most",
        "monolock.max-hold",
        "monolock.hold-at-least",
        "monolock.command-timeout",
        "monolock.close-timeout",
        "monolock.turn",
        "monolock.retry.min-backoff",
        "monolock.retry.max-backoff",
        "monolock.redis.connect-timeout"
      })
  void aTimeWithoutAUnitFailsTheStartAndIsNamed(String property) {
    for (String value : List.of("30", " +30", "${thirty}")) {
      bare.withPropertyValues("monolock.redis.url=redis://localhost:1", "thirty=30")
          .withPropertyValues(property + "=" + value)
          .run(
              context ->
                  assertThat(context)
                      .getFailure()
                      .rootCause()
                      .hasMessageStartingWith(property + " must be a time with a unit, like 30s"));
    }
  }

  @Test
  void zeroNeedsNoUnitAndTimesOfOthersAreTheirs() {
    inMemory
        .withPropertyValues("monolock.wait-at-most=0", "spring.data.redis.timeout=30")
        .withUserConfiguration(Others.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(ReactiveLocker.class).defaults().waitAtMost()).isZero();
              assertThat(context.getBean(DataRedisProperties.class).getTimeout())
                  .isEqualTo(Duration.ofMillis(30));
            });
  }

  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties(DataRedisProperties.class)
  static class Others {}

  @Test
  void allObserversOfTheApplicationAreNotifiedInTheirOrder() {
    List<String> events = new CopyOnWriteArrayList<>();
    inMemory
        .withBean("second", LockObserver.class, () -> new Second(events))
        .withBean("first", LockObserver.class, () -> new First(events))
        .run(
            context -> {
              ReactiveLocker locker = context.getBean(ReactiveLocker.class);
              locker.withLock("order:42", LIMIT, Mono.empty()).block(LIMIT);
              locker.close().block(LIMIT);
              assertThat(events).startsWith("first acquired", "second acquired");
            });
  }

  @Order(Ordered.HIGHEST_PRECEDENCE)
  private record First(List<String> events) implements LockObserver {
    @Override
    public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
      events.add("first acquired");
      throw new IllegalStateException("an observer that fails");
    }
  }

  @Order(Ordered.LOWEST_PRECEDENCE)
  private record Second(List<String> events) implements LockObserver {
    @Override
    public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
      events.add("second acquired");
    }
  }

  @Test
  void customizersReplaceTheProperties() {
    LockOptions options = LockOptions.of(Duration.ofSeconds(77));
    inMemory
        .withPropertyValues("monolock.ttl=11s")
        .withBean(LockerBuilderCustomizer.class, () -> builder -> builder.defaults(options))
        .run(
            context ->
                assertThat(context.getBean(ReactiveLocker.class).defaults()).isSameAs(options));
  }

  @Test
  void theLockerIsClosedWithTheContext() {
    List<ReactiveLocker> lockers = new ArrayList<>();
    inMemory.run(context -> lockers.add(context.getBean(ReactiveLocker.class)));
    StepVerifier.create(lockers.get(0).acquire("order:42", LIMIT))
        .expectError(LockerClosedException.class)
        .verify(LIMIT);
  }

  @Test
  void aContextThatIsPausedKeepsItsLocks() {
    inMemory.run(
        context -> {
          ReactiveLocker locker = context.getBean(ReactiveLocker.class);
          Lock lock = locker.acquire("order:42", LIMIT).block(LIMIT);
          context.getSourceApplicationContext().pause();
          assertThat(lock.isValid()).isTrue();
          context.getSourceApplicationContext().restart();
          assertThat(lock.release().block(LIMIT)).isTrue();
        });
  }
}
