// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Caller;
import io.monolock.benchmarks.contender.Contender;
import java.util.List;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * One caller with a key of its own, and a pause between its calls. A time is that of a pair of
 * acquire and release.
 */
final class PacedCaller extends MeasuredWorkload {

  private final Caller caller;
  private Disposable running = () -> {};

  PacedCaller(Contender contender) {
    caller = contender.caller(List.of("paced"), 1);
  }

  @Override
  public void start() {
    running =
        Pause.some()
            .then(Mono.defer(this::pair))
            .repeat()
            .subscribe(ended -> {}, statistics::failed);
  }

  private Mono<?> pair() {
    long begin = System.nanoTime();
    return caller
        .acquireAndRelease(() -> {})
        .doOnTerminate(() -> statistics.done(System.nanoTime() - begin));
  }

  @Override
  public void stop() {
    running.dispose();
  }
}
