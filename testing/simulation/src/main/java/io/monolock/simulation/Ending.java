// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import java.time.Duration;
import reactor.core.publisher.Flux;

/** How a subscriber treats what it has subscribed to. */
enum Ending {
  /** Waits for the end. */
  WAITS,

  /** Cancels as soon as it is subscribed. */
  CANCELS_AT_ONCE,

  /** Cancels after a while. */
  CANCELS_LATER,

  /** Cancels while it is given a value. */
  CANCELS_ON_NEXT,

  /** Lets an operator cancel after a while. */
  TIMES_OUT,

  /** Lets an operator cancel after a while, and subscribe again. */
  TIMES_OUT_AND_RETRIES;

  <T> Flux<T> decorate(Flux<T> source, Turn turn, long patience) {
    return switch (this) {
      case TIMES_OUT -> source.timeout(Duration.ofNanos(patience), turn.publishOn());
      case TIMES_OUT_AND_RETRIES ->
          source.timeout(Duration.ofNanos(patience), turn.publishOn()).retry(2);
      default -> source;
    };
  }
}
