// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static io.monolock.micrometer.LockMeterDocumentation.ABANDONED;
import static io.monolock.micrometer.LockMeterDocumentation.ACQUISITIONS;
import static io.monolock.micrometer.LockMeterDocumentation.CONTENDED;
import static io.monolock.micrometer.LockMeterDocumentation.HELD;
import static io.monolock.micrometer.LockMeterDocumentation.HOLD;
import static io.monolock.micrometer.LockMeterDocumentation.LOST;
import static io.monolock.micrometer.LockMeterDocumentation.REFRESH_FAILURES;
import static io.monolock.micrometer.LockMeterDocumentation.STORE_TROUBLE;
import static io.monolock.micrometer.LockMeterDocumentation.WAIT;
import static io.monolock.micrometer.LockMeterDocumentation.WAITING;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.monolock.LockLostException;
import io.monolock.micrometer.LockMeterDocumentation.Tag;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * The meters of one group of keys, all registered at once: nothing is looked up for an event, and a
 * counter that was scraped at zero shows its first increment.
 */
final class GroupMeters {

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
  private static final Duration LONGEST_HOLD = Duration.ofMinutes(5);

  final String group;
  final Levels levels;
  private final MeterRegistry registry;
  private final Tags tags;
  private final Timer waitForGrant;
  private final Timer waitInVain;
  private final Map<HoldEnd, Timer> hold;
  private final Map<Outcome, Counter> acquisitions;
  private final Counter contended;
  private final Map<StoreProblem.Reason, Counter> storeTrouble;
  private final Map<StoreProblem.Reason, Counter> refreshFailures;
  private final Map<LockLostException.Reason, Counter> lost;
  private final Counter abandoned;

  GroupMeters(MeterRegistry registry, Tags common, String group, boolean histograms) {
    this.group = group;
    this.registry = registry;
    this.tags = common.and(Tag.KEY_GROUP.asString(), group);
    this.levels = Levels.of(registry, tags);
    gauge(WAITING, "acquisitions that wait now", levels -> levels.waiting.get());
    gauge(HELD, "locks that are held now", levels -> levels.held.get());
    waitForGrant = wait("true", histograms);
    waitInVain = wait("false", histograms);
    hold = each(HoldEnd.class, end -> hold(end, histograms));
    acquisitions = counters(ACQUISITIONS, "acquisitions by outcome", Tag.OUTCOME, Outcome.class);
    contended = counter(CONTENDED, "acquisitions that had to wait", Tags.empty());
    storeTrouble =
        counters(
            STORE_TROUBLE,
            "acquisitions that failed for trouble of the store",
            Tag.REASON,
            StoreProblem.Reason.class);
    refreshFailures =
        counters(
            REFRESH_FAILURES,
            "refreshes that failed and are tried again",
            Tag.REASON,
            StoreProblem.Reason.class);
    lost = counters(LOST, "locks that were lost", Tag.REASON, LockLostException.Reason.class);
    abandoned = counter(ABANDONED, "locks granted after their caller had gone", Tags.empty());
  }

  /** Registers a gauge, unless it is registered already, of which the registry would warn. */
  private void gauge(
      LockMeterDocumentation meter, String description, ToIntFunction<Levels> level) {
    if (registry.find(meter.getName()).tags(tags).gauge() != null) {
      return;
    }
    Gauge.builder(meter.getName(), levels, level::applyAsInt)
        .description(description)
        .tags(tags)
        .register(registry);
  }

  private Timer wait(String granted, boolean histogram) {
    return Timer.builder(WAIT.getName())
        .description("from the subscription to the end of an acquisition")
        .tags(tags.and(Tag.GRANTED.asString(), granted))
        .publishPercentileHistogram(histogram)
        .maximumExpectedValue(LONGEST_WAIT)
        .register(registry);
  }

  private Timer hold(HoldEnd end, boolean histogram) {
    return Timer.builder(HOLD.getName())
        .description("from the grant of a lock to its end")
        .tags(tags.and(Tag.OUTCOME.asString(), TagValues.of(end)))
        .publishPercentileHistogram(histogram)
        .maximumExpectedValue(LONGEST_HOLD)
        .register(registry);
  }

  private <E extends Enum<E>> Map<E, Counter> counters(
      LockMeterDocumentation meter, String description, Tag tag, Class<E> values) {
    return each(
        values, value -> counter(meter, description, Tags.of(tag.asString(), TagValues.of(value))));
  }

  private Counter counter(LockMeterDocumentation meter, String description, Tags more) {
    return Counter.builder(meter.getName())
        .description(description)
        .tags(tags.and(more))
        .register(registry);
  }

  private static <E extends Enum<E>, M> Map<E, M> each(Class<E> type, Function<E, M> make) {
    Map<E, M> all = new EnumMap<>(type);
    for (E value : type.getEnumConstants()) {
      all.put(value, make.apply(value));
    }
    return all;
  }

  void contended() {
    contended.increment();
  }

  void ended(Outcome outcome, Duration waited) {
    (outcome == Outcome.GRANTED ? waitForGrant : waitInVain).record(waited);
    increment(acquisitions, outcome);
  }

  void storeTrouble(StoreProblem.Reason reason) {
    increment(storeTrouble, reason);
  }

  void refreshFailed(StoreProblem.Reason reason) {
    increment(refreshFailures, reason);
  }

  void lost(LockLostException.Reason reason) {
    increment(lost, reason);
  }

  void abandoned() {
    abandoned.increment();
  }

  void held(HoldEnd end, Duration held) {
    of(hold, end).record(held);
  }

  private static <E> void increment(Map<E, Counter> counters, E value) {
    of(counters, value).increment();
  }

  private static <E, M> M of(Map<E, M> meters, E value) {
    return Objects.requireNonNull(meters.get(value));
  }

  /** The clock of the registry, in nanoseconds. */
  long now() {
    return registry.config().clock().monotonicTime();
  }
}
