// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import reactor.core.publisher.Mono;

/**
 * How many replicas must have a grant before it counts.
 *
 * <p>Redis is asked with {@code WAIT}, see {@link Confirmations}. A grant that does not count stays
 * in Redis: its locker asks for it again, or releases it, as it does whenever a call is in doubt.
 */
final class Replicas {

  private static final Duration LONGEST = Duration.ofHours(24);

  private final int count;
  private final Duration timeout;

  /**
   * @param count how many, 1 or more
   * @param timeout how long to wait for them, 1 ms to 24 hours
   */
  Replicas(int count, Duration timeout) {
    if (count < 1) {
      throw new IllegalArgumentException(
          "replicas must be 1 or more, was "
              + count
              + "; leave replicas(...) out for grants that wait for none");
    }
    if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "timeout must be between 1 ms and 24 hours, was " + timeout);
    }
    this.count = count;
    this.timeout = Duration.ofMillis(timeout.plusNanos(999_999).toMillis());
  }

  /**
   * Asks how many have what was run over a connection before, which is blocked until they are
   * enough or the time is over.
   */
  Mono<Long> reached(PipelinedConnection connection) {
    Mono<Long> reached =
        CommandCall.over(connection, redis -> redis.waitForReplication(count, timeout.toMillis()));
    connection.expectSilence(timeout);
    return reached;
  }

  /** What becomes of grants that so many have: completes, or fails with {@link StoreFailure}. */
  Mono<Void> outcome(long number) {
    return number < count ? Mono.error(tooFew(number)) : Mono.empty();
  }

  /** Fails if the user may not ask, so that nothing is granted then. */
  static CompletionStage<?> permitted(StatefulRedisConnection<String, String> connection) {
    return connection
        .async()
        .waitForReplication(0, 0)
        .exceptionally(
            e -> {
              StoreFailure failure = ErrorMapping.ofCall(e);
              if (failure.reason() == Reason.PERMISSION) {
                throw failure;
              }
              return 0L;
            });
  }

  private StoreFailure tooFew(long number) {
    return new StoreFailure(
        Reason.NOT_REPLICATED,
        true,
        "The lock had reached %d of %d replicas after %d ms, so it does not count"
            .formatted(number, count, timeout.toMillis()),
        null);
  }

  /** What becomes of grants for which there was no answer. */
  static Mono<Void> unknown(Throwable e) {
    StoreFailure failure = ErrorMapping.ofCall(e);
    return Mono.error(
        new StoreFailure(
            Reason.NOT_REPLICATED,
            failure.isTransient(),
            "It is not known whether replicas have the lock, so it does not count ("
                + failure.getMessage()
                + ")",
            failure));
  }
}
