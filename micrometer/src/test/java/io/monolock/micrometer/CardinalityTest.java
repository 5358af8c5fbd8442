// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** How many series a scrape gets, which is what a store of metrics is paid for. */
class CardinalityTest {

  private static final Duration TTL = Duration.ofSeconds(9);

  private final PrometheusMeterRegistry prometheus =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private List<String> seriesAfter(MeteredLocker locker) {
    for (int i = 0; i < 16; i++) {
      locker.run(locker.locker.withLock("order:" + i, TTL, Mono.empty()));
    }
    return prometheus.scrape().lines().filter(line -> line.startsWith("monolock_")).toList();
  }

  @Test
  void withoutHistogramsThereAreFewAndKeysAddNone() {
    List<String> series = seriesAfter(new MeteredLocker(prometheus, b -> b));

    assertThat(series).hasSizeBetween(40, 50).noneMatch(one -> one.contains("_bucket"));
  }

  @Test
  void histogramsAreThereWhenTheyAreAskedFor() {
    List<String> series = seriesAfter(new MeteredLocker(prometheus, b -> b.histograms(true)));

    assertThat(series).hasSizeBetween(350, 450).anyMatch(one -> one.contains("_bucket"));
  }

  /** As {@code management.metrics.distribution.percentiles-histogram} of Spring Boot does. */
  @Test
  void filtersAskForHistograms() {
    prometheus
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public DistributionStatisticConfig configure(
                  Meter.Id id, DistributionStatisticConfig config) {
                return DistributionStatisticConfig.builder()
                    .percentilesHistogram(true)
                    .build()
                    .merge(config);
              }
            });

    assertThat(seriesAfter(new MeteredLocker(prometheus, b -> b)))
        .anyMatch(one -> one.contains("_bucket"));
  }
}
