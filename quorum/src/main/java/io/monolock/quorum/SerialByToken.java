// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/**
 * Runs the attempts of one token one after the other: an attempt without a majority must not undo
 * what the next one was granted. An attempt runs to its end even if its subscriber cancels.
 */
final class SerialByToken {

  private final Map<KeysAndToken, Sinks.Empty<Void>> last = new ConcurrentHashMap<>();

  /** The attempt, subscribed once those before it have ended. */
  <T> Mono<T> inOrder(LockKeys keys, String token, Mono<T> attempt) {
    return Mono.deferContextual(
        context -> {
          KeysAndToken id = new KeysAndToken(keys, token);
          Sinks.Empty<Void> end = Sinks.empty();
          Sinks.Empty<Void> before = last.put(id, end);
          Mono<T> next = before == null ? attempt : before.asMono().then(attempt);
          Sinks.One<T> answer = Sinks.one();
          next.doFinally(any -> ended(id, end))
              .subscribe(
                  answer::tryEmitValue,
                  answer::tryEmitError,
                  answer::tryEmitEmpty,
                  Context.of(context));
          return answer.asMono();
        });
  }

  private void ended(KeysAndToken id, Sinks.Empty<Void> end) {
    last.remove(id, end);
    end.tryEmitEmpty();
  }

  /** How many tokens have an attempt under way. */
  int size() {
    return last.size();
  }
}
