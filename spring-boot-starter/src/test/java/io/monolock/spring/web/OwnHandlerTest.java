// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.LockException;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A handler that a user has written, tested with errors and without a store. */
class OwnHandlerTest {

  private static final Set<String> KEYS = Set.of("order:42");

  private static String advice(LockException error) {
    if (error instanceof LockNotAcquiredException busy) {
      return busy.retryAfter().map(left -> "again in " + left.toSeconds() + " s").orElse("later");
    }
    if (error instanceof LockLostException lost) {
      return "stop, " + lost.reason();
    }
    if (error instanceof LockStoreException trouble) {
      return trouble.isTransient() ? "again" : "call the operator";
    }
    return "go to another instance";
  }

  @Test
  void eachErrorCanBeMadeAndHandled() {
    Duration waited = Duration.ofSeconds(2);
    Map<LockException, String> advices =
        Map.of(
            new LockNotAcquiredException(KEYS, 3, waited, Duration.ofSeconds(5)), "again in 5 s",
            new LockNotAcquiredException(KEYS, 3, waited, null), "later",
            new LockLostException(KEYS, Reason.EXPIRED), "stop, EXPIRED",
            new LockStoreException(KEYS, StoreProblem.Reason.UNAVAILABLE, true, "away", null),
                "again",
            new LockStoreException(KEYS, StoreProblem.Reason.PERMISSION, false, "NOPERM", null),
                "call the operator",
            new LockerClosedException(KEYS), "go to another instance");

    assertThat(advices)
        .allSatisfy(
            (error, expected) -> {
              assertThat(advice(error)).isEqualTo(expected);
              assertThat(error.keys()).isEqualTo(KEYS);
            });
  }
}
