// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Shows how far the work is: in one line that is rewritten where the terminal can do that, else in
 * a new line every second.
 */
final class ProgressLine {

  private static final String ERASE_LINE = "\r\u001B[K";

  private final PrintWriter out;
  private final boolean rewriting;

  ProgressLine(PrintWriter out, boolean rewriting) {
    this.out = out;
    this.rewriting = rewriting;
  }

  /** The same work, with this line shown while it is done and once more at its end. */
  <T> Mono<T> during(Mono<T> work, Supplier<String> line) {
    Duration period = rewriting ? Duration.ofMillis(100) : Duration.ofSeconds(1);
    Scheduler screen = Schedulers.single();
    Mono<T> ticker =
        Flux.interval(period, screen).doOnNext(tick -> show(line.get())).then(Mono.never());
    return work.or(ticker)
        // after the last tick, which happens on the same thread
        .publishOn(screen)
        .doOnSuccess(result -> show(line.get()))
        .doOnTerminate(this::end);
  }

  private void show(String line) {
    out.print(rewriting ? ERASE_LINE + line : line + System.lineSeparator());
    out.flush();
  }

  private void end() {
    if (rewriting) {
      out.println();
      out.flush();
    }
  }
}
