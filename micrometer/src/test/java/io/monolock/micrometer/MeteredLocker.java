// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A locker in virtual time, and what its observer makes of it. */
final class MeteredLocker {

  final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  final InMemoryLockStore memory = InMemoryLockStore.create(time);
  final FaultyStore store = new FaultyStore(memory);
  final MeterRegistry registry;
  final MicrometerLockObserver observer;
  final ReactiveLocker locker;
  final List<Throwable> errors = new CopyOnWriteArrayList<>();

  MeteredLocker() {
    this(new SimpleMeterRegistry(), builder -> builder);
  }

  MeteredLocker(MeterRegistry registry, UnaryOperator<MicrometerLockObserver.Builder> settings) {
    this.registry = registry;
    observer = settings.apply(MicrometerLockObserver.builder(registry)).build();
    locker = ReactiveLocker.builder(store).timer(time).publishOn(time).observer(observer).build();
  }

  /** Another locker over the same keys, as another process would be. */
  ReactiveLocker another() {
    return ReactiveLocker.builder(memory).timer(time).publishOn(time).build();
  }

  Disposable run(Mono<?> call) {
    Disposable running = call.subscribe(value -> {}, errors::add);
    time.advanceTime();
    return running;
  }

  <T> @Nullable T get(Mono<T> call) {
    List<T> values = new CopyOnWriteArrayList<>();
    Disposable unused = call.subscribe(values::add, errors::add);
    time.advanceTime();
    return values.isEmpty() ? null : values.get(0);
  }

  /** What a counter or gauge shows, by its name in Micrometer and its tags. */
  double value(String name, String... tags) {
    return registry.get(name).tags(tags).meters().stream()
        .mapToDouble(meter -> meter.measure().iterator().next().getValue())
        .sum();
  }
}
