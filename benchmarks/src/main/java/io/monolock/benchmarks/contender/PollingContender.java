// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Raw Lettuce that asks for a lock that it does not get again every 10 ms. */
final class PollingContender implements Contender {

  private static final Retry EVERY_10_MS = Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(10));

  private final RawContender raw;

  PollingContender(String uri) {
    raw = new RawContender(uri);
  }

  @Override
  public Caller caller(List<String> keys, long owner) {
    Caller caller = raw.caller(keys, owner);
    return new Caller() {
      @Override
      public Mono<?> acquireAndRelease(Runnable whileHeld) {
        return caller.acquireAndRelease(whileHeld).retryWhen(EVERY_10_MS);
      }

      @Override
      public Mono<Mono<?>> acquire() {
        return caller.acquire();
      }

      @Override
      public Mono<?> hold(Runnable whenHeld) {
        return caller.hold(whenHeld);
      }
    };
  }

  @Override
  public void close() {
    raw.close();
  }
}
