// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.monolock.spring.SkipObserver;
import java.lang.reflect.Method;

/** Counts skipped calls by their method, of which an application has few. */
record SkipCounter(MeterRegistry meters) implements SkipObserver {

  /** So that the counter is there at zero, and the first call is seen as an increase. */
  @Override
  public void maySkip(Method method) {
    Counter unused = of(method);
  }

  @Override
  public void skipped(Method method) {
    of(method).increment();
  }

  private Counter of(Method method) {
    return Counter.builder("monolock.skipped")
        .description("calls of methods with @Locked that were skipped, as another holder had a key")
        .tag("class", method.getDeclaringClass().getName())
        .tag("method", method.getName())
        .register(meters);
  }
}
