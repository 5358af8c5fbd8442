// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Callers that start and stop together. */
final class CallerLoops {

  private static final long TIMEOUT_SECONDS = 1;

  private final List<? extends CallerLoop> loops;

  CallerLoops(List<? extends CallerLoop> loops) {
    this.loops = loops;
  }

  void start() {
    loops.forEach(CallerLoop::next);
  }

  /** Lets all callers finish their call; cancels them after a timeout. */
  void stop() {
    CompletableFuture<?>[] ends =
        loops.stream().map(CallerLoop::stop).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(ends).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      loops.forEach(CallerLoop::cancel);
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
