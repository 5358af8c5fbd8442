// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.actuate;

import io.monolock.store.LockStore;
import io.monolock.store.StoreHealth;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.boot.health.contributor.AbstractReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The health of one store, asked with the time-out of any call to it. */
final class StoreHealthIndicator extends AbstractReactiveHealthIndicator {

  private final LockStore store;
  private final Duration limit;

  StoreHealthIndicator(LockStore store, Duration limit) {
    super("The store of locks could not be reached");
    this.store = store;
    this.limit = limit;
  }

  @Override
  protected Mono<Health> doHealthCheck(Health.Builder builder) {
    return Mono.defer(
        () -> {
          long asked = System.nanoTime();
          return store
              .health()
              .timeout(limit, Mono.error(this::noAnswer))
              .map(health -> up(builder, health, System.nanoTime() - asked))
              .switchIfEmpty(Mono.fromSupplier(() -> builder.unknown().build()))
              // the answer comes in a thread of the store
              .publishOn(Schedulers.parallel());
        });
  }

  private TimeoutException noAnswer() {
    return new TimeoutException("no answer within " + limit.toMillis() + " ms");
  }

  private static Health up(Health.Builder builder, StoreHealth health, long nanos) {
    return builder
        .up()
        .withDetail("topology", health.topology())
        .withDetail("roundTripMillis", TimeUnit.NANOSECONDS.toMicros(nanos) / 1_000.0)
        .withDetail(
            "wakeUps", health.wakeUps().map(on -> on ? "on" : "off").orElse("not needed yet"))
        .build();
  }
}
