// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;

/**
 * Asks whether the server answers. Whoever cancels does not hear of it, but the answer still counts
 * as one of the connection.
 */
final class Ping extends BaseSubscriber<String> {

  private final Sinks.One<String> answer = Sinks.one();
  private volatile @Nullable Link link;

  private Ping() {}

  static Mono<String> over(SharedConnection connection) {
    return Mono.defer(
        () -> {
          Ping ping = new Ping();
          CompletableFuture<?> unused = connection.open().whenComplete(ping::opened);
          return ping.answer.asMono();
        });
  }

  private void opened(@Nullable Link link, @Nullable Throwable e) {
    if (e != null) {
      answer.tryEmitError(Failures.ofConnecting(e));
    } else if (link != null) {
      this.link = link;
      link.ask(link.commands.ping(), this);
      if (!link.isOpen()) {
        // Lettuce may have taken it just after it had ended all others
        hookOnError(new RedisException("Connection closed"));
      }
    }
  }

  @Override
  protected void hookOnNext(String pong) {
    answer.tryEmitValue(pong);
  }

  @Override
  protected void hookOnError(Throwable e) {
    answer.tryEmitError(Failures.ofCall(e));
  }

  @Override
  protected void hookFinally(SignalType type) {
    Link link = this.link;
    if (link != null) {
      link.heard();
    }
  }
}
