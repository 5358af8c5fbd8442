// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/**
 * Lets the attempts of one token take place one after the other: what one undoes, as it was in
 * vain, must not be what the next one has got. An attempt goes on to its end even if whoever asked
 * for it cancels.
 */
final class SerialByToken {

  private final Map<Claim, Sinks.Empty<Void>> last = new ConcurrentHashMap<>();

  private record Claim(LockKeys keys, String token) {}

  /** The attempt, once those before it have ended. */
  <T> Mono<T> inTurn(LockKeys keys, String token, Mono<T> attempt) {
    return Mono.deferContextual(
        context -> {
          Claim claim = new Claim(keys, token);
          Sinks.Empty<Void> end = Sinks.empty();
          Sinks.Empty<Void> before = last.put(claim, end);
          Mono<T> next = before == null ? attempt : before.asMono().then(attempt);
          Sinks.One<T> answer = Sinks.one();
          next.doFinally(any -> ended(claim, end))
              .subscribe(
                  answer::tryEmitValue,
                  answer::tryEmitError,
                  answer::tryEmitEmpty,
                  Context.of(context));
          return answer.asMono();
        });
  }

  private void ended(Claim claim, Sinks.Empty<Void> end) {
    last.remove(claim, end);
    end.tryEmitEmpty();
  }

  /** How many tokens make attempts. */
  int size() {
    return last.size();
  }
}
