// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * How many replicas must have a grant before it counts.
 *
 * <p>Redis is asked with {@code WAIT}, which covers only what was written over its own connection,
 * and blocks that connection meanwhile.
 */
final class Replicas {

  private static final Duration LONGEST = Duration.ofHours(24);
  private static final Retry UNDO_AGAIN =
      Retry.backoff(5, Duration.ofMillis(50))
          .maxBackoff(Duration.ofSeconds(1))
          .filter(e -> e instanceof StoreFailure failure && failure.isTransient())
          .onRetryExhaustedThrow((spec, signal) -> signal.failure());

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
   * Makes a call that grants, and waits until the replicas have what it has written.
   *
   * @param route the route of the call, over a connection that no other call uses meanwhile
   * @param call makes the call; its answer is above 0 if it grants
   * @param undo frees what was granted with this answer and does not count
   * @return the answer, or {@link StoreFailure} after the grant was undone
   */
  Mono<Long> confirmed(
      Route route, Function<Route, Mono<Long>> call, Function<Long, Mono<Boolean>> undo) {
    RecordingRoute recording = new RecordingRoute(route);
    return call.apply(recording)
        .flatMap(
            answer ->
                answer > 0
                    ? reached(recording)
                        .thenReturn(answer)
                        .onErrorResume(e -> undone(undo.apply(answer), (StoreFailure) e))
                    : Mono.just(answer));
  }

  private Mono<Void> reached(RecordingRoute recording) {
    PipelinedConnection connection =
        Objects.requireNonNull(recording.sentOver().get(), "a call that was answered was sent");
    Mono<Long> reached =
        CommandCall.over(connection, redis -> redis.waitForReplication(count, timeout.toMillis()));
    connection.expectSilence(timeout);
    return reached
        .doOnError(e -> recording.route().after(connection, e))
        .onErrorMap(ErrorMapping::ofCall)
        .flatMap(number -> number < count ? Mono.error(tooFew(number)) : Mono.empty());
  }

  private StoreFailure tooFew(long number) {
    return new StoreFailure(
        Reason.NOT_REPLICATED,
        true,
        "The lock had reached %d of %d replicas after %d ms, so it does not count"
            .formatted(number, count, timeout.toMillis()),
        null);
  }

  /** Fails with the given failure, whether or not the keys could be freed. */
  private static Mono<Long> undone(Mono<Boolean> undo, StoreFailure failure) {
    return undo.retryWhen(UNDO_AGAIN)
        .doOnError(failure::addSuppressed)
        .onErrorComplete()
        .then(Mono.error(failure.isTransient() ? notReplicated(failure) : failure));
  }

  private static StoreFailure notReplicated(StoreFailure failure) {
    return failure.reason() == Reason.NOT_REPLICATED
        ? failure
        : new StoreFailure(
            Reason.NOT_REPLICATED,
            true,
            "It is not known whether replicas have the lock, so it does not count ("
                + failure.getMessage()
                + ")",
            failure);
  }
}
