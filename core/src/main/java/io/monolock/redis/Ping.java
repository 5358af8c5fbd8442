// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisException;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.SignalType;

/**
 * Asks whether the server answers. Whoever cancels does not hear of it, but the answer still counts
 * as one of the connection.
 */
final class Ping extends BaseSubscriber<String> {

  private final Link link;

  /** Never fails, or Reactor would tell of a failure that nobody waits for any more. */
  private final CompletableFuture<Signal<String>> answer = new CompletableFuture<>();

  private Ping(Link link) {
    this.link = link;
  }

  static Mono<String> over(SharedConnection connection) {
    return Mono.defer(() -> Mono.fromFuture(connection.open(), true))
        .onErrorMap(Failures::ofConnecting)
        .flatMap(link -> send(link).onErrorMap(Failures::ofCall));
  }

  private static Mono<String> send(Link link) {
    Ping ping = new Ping(link);
    link.ask(link.commands.ping(), ping);
    if (!link.isOpen()) {
      // Lettuce may have taken it just after it had ended all others
      ping.answer.complete(Signal.error(new RedisException("Connection closed")));
    }
    return Mono.fromFuture(ping.answer, true).dematerialize();
  }

  @Override
  protected void hookOnNext(String pong) {
    answer.complete(Signal.next(pong));
  }

  @Override
  protected void hookOnError(Throwable e) {
    answer.complete(Signal.error(e));
  }

  @Override
  protected void hookFinally(SignalType type) {
    link.heard();
  }
}
