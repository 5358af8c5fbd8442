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

/** Many subscriptions that are there and have nothing to do. Its methods are called in turn. */
final class IdleSubscriptions {

  private final WindowStatistics tally = new WindowStatistics();
  private final AtomicInteger ended = new AtomicInteger();
  private final List<IdleSubscriber> members = new ArrayList<>();

  /** Lets one in; it is lost if it ever ends. */
  void add(Mono<?> life) {
    IdleSubscriber member = new IdleSubscriber();
    members.add(member);
    life.subscribe(member);
  }

  void begin() {
    tally.begin();
  }

  void end() {
    tally.end();
  }

  Sample sample() {
    return tally
        .sample()
        .with(Metric.HELD, members.size() - ended.get())
        .with(Metric.LOST, ended.get());
  }

  void dismiss() {
    members.forEach(BaseSubscriber::cancel);
  }

  private final class IdleSubscriber extends BaseSubscriber<Object> {

    @Override
    protected void hookOnError(Throwable reason) {
      tally.failed(reason);
    }

    @Override
    protected void hookFinally(SignalType type) {
      if (type != SignalType.CANCEL) {
        ended.incrementAndGet();
      }
    }
  }
}
