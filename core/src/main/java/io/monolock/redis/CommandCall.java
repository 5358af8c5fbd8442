// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * A call of one command that is no script. After a cancellation the answer is dropped, but the
 * connection still counts it.
 *
 * @param <A> what is answered
 */
final class CommandCall<A> extends BaseSubscriber<A> {

  private final PipelinedConnection connection;
  private final CompletableFuture<A> answer = new CompletableFuture<>();

  private CommandCall(PipelinedConnection connection) {
    this.connection = connection;
  }

  /** Whether the server answers; opens the connection if necessary. */
  static Mono<String> ping(ReconnectingConnection reconnecting) {
    return opened(reconnecting)
        .flatMap(
            connection -> over(connection, redis -> redis.ping()).onErrorMap(ErrorMapping::ofCall));
  }

  /** The connection as soon as calls can be made over it. */
  static Mono<PipelinedConnection> opened(ReconnectingConnection reconnecting) {
    return result(reconnecting::awaited);
  }

  /** A result of opening connections, waited for as long as that takes. */
  static <T> Mono<T> result(Supplier<Awaited<T>> awaited) {
    return Mono.defer(
            () -> {
              CompletableFuture<T> result = new CompletableFuture<>();
              awaited
                  .get()
                  .then(
                      System.nanoTime() + Duration.ofDays(365).toNanos(),
                      (value, e) -> {
                        if (value != null) {
                          result.complete(value);
                        } else if (e != null) {
                          result.completeExceptionally(e);
                        }
                      });
              return of(result);
            })
        .onErrorMap(ErrorMapping::ofConnecting);
  }

  /** Sends the command now, not when it is subscribed. */
  static <A> Mono<A> over(
      PipelinedConnection connection,
      Function<RedisReactiveCommands<String, String>, Publisher<A>> command) {
    CommandCall<A> call = new CommandCall<>(connection);
    connection.ask(command.apply(connection.commands), call);
    if (!connection.isOpen()) {
      // Lettuce may have accepted the command just after it had failed all others
      call.answer.completeExceptionally(new RedisException("Connection closed"));
    }
    return of(call.answer);
  }

  /** After a cancellation a failure is dropped; Reactor would report it as a dropped error. */
  private static <T> Mono<T> of(CompletableFuture<T> future) {
    return Mono.fromFuture(
            () -> future.handle((value, e) -> e == null ? Mono.just(value) : Mono.<T>error(e)),
            true)
        .flatMap(Function.identity());
  }

  @Override
  protected void hookOnNext(A value) {
    answer.complete(value);
  }

  @Override
  protected void hookOnError(Throwable e) {
    answer.completeExceptionally(e);
  }

  @Override
  protected void hookOnComplete() {
    answer.completeExceptionally(new NoSuchElementException());
  }

  @Override
  protected void hookFinally(SignalType type) {
    connection.answered();
  }
}
