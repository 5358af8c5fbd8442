// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import reactor.core.publisher.Mono;

/** Random pauses of some milliseconds, long enough for everything under way to end. */
final class Pause {

  private static final long LEAST_MICROS = 2_000;
  private static final long MOST_MICROS = 4_000;

  private Pause() {}

  static Mono<Long> some() {
    return Mono.defer(
        () ->
            Mono.delay(
                Duration.ofNanos(
                    1_000 * ThreadLocalRandom.current().nextLong(LEAST_MICROS, MOST_MICROS))));
  }
}
