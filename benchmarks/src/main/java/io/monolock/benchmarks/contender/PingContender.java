// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import java.util.List;
import reactor.core.publisher.Mono;

/** A round trip to the server and nothing else: the baseline of the times of other contenders. */
final class PingContender implements Contender {

  private final LettuceConnection connection;

  PingContender(String uri) {
    connection = new LettuceConnection(uri);
  }

  @Override
  public Caller caller(List<String> keys, long owner) {
    return new Caller() {

      @Override
      public Mono<?> acquireAndRelease(Runnable whileHeld) {
        return connection.commands().ping();
      }

      @Override
      public Mono<Mono<?>> acquire() {
        return connection.commands().ping().map(pong -> Mono.empty());
      }

      @Override
      public Mono<?> hold(Runnable whenHeld) {
        throw new UnsupportedOperationException("Nothing is held here");
      }
    };
  }

  @Override
  public void close() {
    connection.close();
  }
}
