// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** Many subscriptions without signals. Its methods are called one at a time. */
final class IdleSubscriptions {

  private final WindowStatistics statistics = new WindowStatistics();
  private final AtomicInteger ended = new AtomicInteger();
  private final List<IdleSubscriber> subscribers = new ArrayList<>();

  /** Subscribes to a Mono, which counts as lost if it ever ends. */
  void add(Mono<?> mono) {
    IdleSubscriber subscriber = new IdleSubscriber();
    subscribers.add(subscriber);
    mono.subscribe(subscriber);
  }

  void begin() {
    statistics.begin();
  }

  void end() {
    statistics.end();
  }

  Sample sample() {
    return statistics
        .sample()
        .with(Metric.HELD, subscribers.size() - ended.get())
        .with(Metric.LOST, ended.get());
  }

  void cancel() {
    subscribers.forEach(BaseSubscriber::cancel);
  }

  private final class IdleSubscriber extends BaseSubscriber<Object> {

    @Override
    protected void hookOnError(Throwable reason) {
      statistics.failed(reason);
    }

    @Override
    protected void hookFinally(SignalType type) {
      if (type != SignalType.CANCEL) {
        ended.incrementAndGet();
      }
    }
  }
}
