// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Callers that start and stop together. */
final class Loops {

  private static final long PATIENCE_SECONDS = 1;

  private final List<? extends Loop> loops;

  Loops(List<? extends Loop> loops) {
    this.loops = loops;
  }

  void start() {
    loops.forEach(Loop::next);
  }

  /** Lets all finish their turn; cancels those who wait too long. */
  void stop() {
    CompletableFuture<?>[] ends =
        loops.stream().map(Loop::stop).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(ends).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      loops.forEach(Loop::cancel);
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
