// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * Asks a server something that is no script. Whoever cancels does not hear the answer, but it still
 * counts as one of the connection.
 *
 * @param <A> what is answered
 */
final class CommandCall<A> extends BaseSubscriber<A> {

  private final PipelinedConnection link;
  private final CompletableFuture<A> answer = new CompletableFuture<>();

  private CommandCall(PipelinedConnection link) {
    this.link = link;
  }

  /** Asks whether the server answers. */
  static Mono<String> ping(ReconnectingConnection connection) {
    return Mono.defer(() -> of(connection.open()))
        .onErrorMap(ErrorMapping::ofConnecting)
        .flatMap(link -> over(link, redis -> redis.ping()).onErrorMap(ErrorMapping::ofCall));
  }

  /** Asks at once, when this is called. */
  static <A> Mono<A> over(
      PipelinedConnection link,
      Function<RedisReactiveCommands<String, String>, Publisher<A>> command) {
    CommandCall<A> question = new CommandCall<>(link);
    link.ask(command.apply(link.commands), question);
    if (!link.isOpen()) {
      // Lettuce may have taken it just after it had ended all others
      question.answer.completeExceptionally(new RedisException("Connection closed"));
    }
    return of(question.answer);
  }

  /** What fails when nobody listens any more is nobody's concern. */
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
    link.heard();
  }
}
