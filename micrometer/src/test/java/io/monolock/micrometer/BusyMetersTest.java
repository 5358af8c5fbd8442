// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Meters and observations while a locker is asked for more locks than they can record in time. */
class BusyMetersTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

  /** Enough that some of them are signalled on each thread. */
  private static final int KEYS = 16 * Runtime.getRuntime().availableProcessors();

  private static final Duration LONG = Duration.ofSeconds(3);

  private volatile boolean over;

  @AfterEach
  void end() {
    over = true;
  }

  /** Asks for locks more often than the observer can be told, until the test is over. */
  private void load(ReactiveLocker locker) {
    Thread load =
        new Thread(
            () -> {
              for (int i = 0; !over; i++) {
                locker.tryAcquire("load" + i % 64, OPTIONS).flatMap(Lock::release).subscribe();
              }
            },
            "load");
    load.setDaemon(true);
    load.start();
  }

  private void assertGivesSignals(ReactiveLocker locker) {
    for (int round = 0; round < 5; round++) {
      List<Integer> signalled =
          Flux.range(0, KEYS)
              .flatMap(
                  i -> locker.withLock("key" + i, OPTIONS, lock -> Mono.just(i)).onErrorComplete(),
                  KEYS)
              .take(LONG, Schedulers.boundedElastic())
              .collectList()
              .block(LONG.multipliedBy(2));

      assertThat(signalled).as("keys signalled in round %s", round).hasSize(KEYS);
    }
  }

  @Test
  void metersDelayOnlyTheirOwnEvents() {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    ObservationRegistry observations = ObservationRegistry.create();
    observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
    ReactiveLocker locker =
        ReactiveLocker.builder(InMemoryLockStore.create())
            .observer(MicrometerLockObserver.builder(meters).observations(observations).build())
            .build();
    load(locker);

    assertGivesSignals(locker);
  }
}
