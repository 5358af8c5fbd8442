// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/** Many subscriptions that are there and have nothing to do. */
final class Crowd {

  private final Tally tally = new Tally();
  private final AtomicInteger ended = new AtomicInteger();
  private final Disposable.Composite members = Disposables.composite();

  /** Lets one in; it is lost if it ever ends. */
  void add(Mono<?> member) {
    members.add(
        member.subscribe(
            value -> {},
            reason -> {
              ended.incrementAndGet();
              tally.failed(reason);
            },
            ended::incrementAndGet));
  }

  void begin() {
    tally.begin();
  }

  Sample end() {
    return tally
        .end()
        .with(Metric.HELD, members.size() - ended.get())
        .with(Metric.LOST, ended.get());
  }

  void dismiss() {
    members.dispose();
  }
}
