// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.micrometer.MicrometerLockObserver;
import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Whether the meters of an application count its locks. */
class MetricsAutoConfigurationTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  MonolockAutoConfiguration.class, MetricsAutoConfiguration.class))
          .withBean("store", LockStore.class, InMemoryLockStore::create);
  private final ApplicationContextRunner withMeters =
      runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new);

  private static void lock(ReactiveLocker locker) {
    locker.withLock("order:42", LIMIT, Mono.empty()).block(LIMIT);
  }

  @Test
  void theMetersOfTheApplicationCountItsLocks() {
    withMeters.run(
        context -> {
          lock(context.getBean(ReactiveLocker.class));
          MeterRegistry meters = context.getBean(MeterRegistry.class);
          await()
              .untilAsserted(
                  () ->
                      assertThat(meters.getMeters())
                          .anyMatch(meter -> meter.getId().getName().startsWith("monolock")));
        });
  }

  @Test
  void locksAreObservationsIfThereIsARegistryOfThem() {
    List<String> observed = new CopyOnWriteArrayList<>();
    ObservationRegistry registry = ObservationRegistry.create();
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<Observation.Context>() {
              @Override
              public void onStart(Observation.Context context) {
                observed.add(context.getName());
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return true;
              }
            });
    withMeters
        .withBean(ObservationRegistry.class, () -> registry)
        .run(
            context -> {
              lock(context.getBean(ReactiveLocker.class));
              await().untilAsserted(() -> assertThat(observed).isNotEmpty());
            });
  }

  @Test
  void withoutMetersNothingIsMeasured() {
    runner.run(context -> assertThat(context).doesNotHaveBean(MicrometerLockObserver.class));
  }

  @Test
  void metersCanBeSwitchedOff() {
    withMeters
        .withPropertyValues("monolock.metrics.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(MicrometerLockObserver.class));
  }

  @Test
  void anObserverOfTheApplicationReplacesOurs() {
    MicrometerLockObserver own = MicrometerLockObserver.create(new SimpleMeterRegistry());
    withMeters
        .withBean(MicrometerLockObserver.class, () -> own)
        .run(context -> assertThat(context).getBean(MicrometerLockObserver.class).isSameAs(own));
  }
}
