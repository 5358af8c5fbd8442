// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The values of the gauges that have the same registry and tags.
 *
 * <p>A registry keeps the first gauge of a name and tags, and ignores any other. So the observers
 * of several lockers share these values.
 */
final class Levels {

  private static final Map<MeterRegistry, Map<Tags, Levels>> ALL =
      Collections.synchronizedMap(new WeakHashMap<>());

  final AtomicInteger waiting = new AtomicInteger();
  final AtomicInteger held = new AtomicInteger();

  private Levels() {}

  static Levels of(MeterRegistry registry, Tags tags) {
    return ALL.computeIfAbsent(registry, any -> new ConcurrentHashMap<>())
        .computeIfAbsent(tags, any -> new Levels());
  }
}
