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
import reactor.core.publisher.Sinks;

/**
 * Asks a server something that is no script. Whoever cancels does not hear the answer, but it still
 * counts as one of the connection.
 *
 * @param <A> what is answered
 */
final class Question<A> extends BaseSubscriber<A> {

  private final Link link;
  private final Sinks.One<A> answer = Sinks.one();

  private Question(Link link) {
    this.link = link;
  }

  /** Asks whether the server answers. */
  static Mono<String> ping(SharedConnection connection) {
    return Mono.defer(
        () -> {
          Sinks.One<Link> opened = Sinks.one();
          CompletableFuture<?> unused =
              connection
                  .open()
                  .whenComplete(
                      (link, e) -> {
                        if (e != null) {
                          opened.tryEmitError(Failures.ofConnecting(e));
                        } else {
                          opened.tryEmitValue(link);
                        }
                      });
          return opened
              .asMono()
              .flatMap(link -> over(link, redis -> redis.ping()).onErrorMap(Failures::ofCall));
        });
  }

  /** Asks at once, when this is called. */
  static <A> Mono<A> over(
      Link link, Function<RedisReactiveCommands<String, String>, Publisher<A>> command) {
    Question<A> question = new Question<>(link);
    link.ask(command.apply(link.commands), question);
    if (!link.isOpen()) {
      // Lettuce may have taken it just after it had ended all others
      question.answer.tryEmitError(new RedisException("Connection closed"));
    }
    return question.answer.asMono();
  }

  @Override
  protected void hookOnNext(A value) {
    answer.tryEmitValue(value);
  }

  @Override
  protected void hookOnError(Throwable e) {
    answer.tryEmitError(e);
  }

  @Override
  protected void hookOnComplete() {
    answer.tryEmitError(new NoSuchElementException());
  }

  @Override
  protected void hookFinally(SignalType type) {
    link.heard();
  }
}
