// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Caller;
import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.report.Sample;
import java.util.List;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** One caller with a key of its own, and a pause between its turns. Times are of whole turns. */
final class PacedCaller implements Workload {

  private final WindowStatistics tally = new WindowStatistics();
  private final Caller caller;
  private Disposable running = () -> {};

  PacedCaller(Contender contender) {
    caller = contender.caller(List.of("paced"), 1);
  }

  @Override
  public void start() {
    running =
        Pause.some().then(Mono.defer(this::turn)).repeat().subscribe(ended -> {}, tally::failed);
  }

  private Mono<?> turn() {
    long begin = System.nanoTime();
    return caller.turn(() -> {}).doOnTerminate(() -> tally.done(System.nanoTime() - begin));
  }

  @Override
  public void begin() {
    tally.begin();
  }

  @Override
  public void end() {
    tally.end();
  }

  @Override
  public Sample sample() {
    return tally.sample();
  }

  @Override
  public void stop() {
    running.dispose();
  }
}
