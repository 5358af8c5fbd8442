// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;
import reactor.util.retry.RetryBackoffSpec;

/**
 * The default options of locks, and the settings of the locker.
 *
 * @param ttl How long a lock lives without a refresh, 10 ms to 365 days.
 * @param waitAtMost How long an acquisition waits at most. Zero is a single attempt.
 * @param retry How the attempts of the first waiter are spaced.
 * @param autoRefresh Whether a lock is refreshed while the work under it runs.
 * @param maxHold How long refreshes may hold a lock in all.
 * @param fenced Whether each lock gets a fencing token, which costs one more key for each key.
 * @param metadata Text that is stored behind the token, for people who look at Redis.
 * @param holdAtLeast How long the keys stay taken at least, counted from the grant.
 * @param finishOnCancel Whether work that is cancelled runs to its end under the lock, instead of
 *     being cancelled and the lock freed at once.
 * @param commandTimeout How long the locker waits for one call to the store at most.
 * @param keyPrefix Text in front of each key in Redis, which callers and meters do not see.
 * @param closeTimeout How long closing waits for work that finishes and for releases at most.
 * @param turn How long this instance keeps a lock among its own callers before others get their
 *     turn. Zero frees it after every caller.
 */
@ConfigurationProperties("monolock")
record MonolockProperties(
    @DefaultValue("30s") Duration ttl,
    @DefaultValue("10s") Duration waitAtMost,
    @DefaultValue Retry retry,
    @DefaultValue("true") boolean autoRefresh,
    @DefaultValue("24h") Duration maxHold,
    @DefaultValue("false") boolean fenced,
    @DefaultValue("") String metadata,
    @DefaultValue("0s") Duration holdAtLeast,
    @DefaultValue("false") boolean finishOnCancel,
    @DefaultValue("2s") Duration commandTimeout,
    @DefaultValue("") String keyPrefix,
    @DefaultValue("5s") Duration closeTimeout,
    @DefaultValue("100ms") Duration turn) {

  /**
   * How the attempts of the first waiter are spaced: the time doubles from one to the next.
   *
   * @param minBackoff Time before the second attempt.
   * @param maxBackoff Time between two attempts at most.
   * @param jitter By which part each time is randomly longer or shorter, 0 to 1.
   */
  record Retry(
      @DefaultValue("50ms") Duration minBackoff,
      @DefaultValue("1s") Duration maxBackoff,
      @DefaultValue("0.5") double jitter) {

    RetryBackoffSpec spec() {
      if (minBackoff.isNegative() || minBackoff.compareTo(maxBackoff) > 0) {
        throw new IllegalArgumentException(
            "monolock.retry.min-backoff must be between zero and monolock.retry.max-backoff, was "
                + minBackoff
                + " and "
                + maxBackoff);
      }
      if (!(jitter >= 0 && jitter <= 1)) {
        throw new IllegalArgumentException(
            "monolock.retry.jitter must be between 0 and 1, was " + jitter);
      }
      return reactor.util.retry.Retry.backoff(Long.MAX_VALUE, minBackoff)
          .maxBackoff(maxBackoff)
          .jitter(jitter);
    }
  }

  LockOptions options() {
    LockOptions simple =
        named("ttl", () -> LockOptions.of(ttl))
            .retry(retry.spec())
            .autoRefresh(autoRefresh)
            .fenced(fenced)
            .finishOnCancel(finishOnCancel);
    LockOptions described = named("metadata", () -> simple.metadata(metadata));
    LockOptions waiting = named("wait-at-most", () -> described.waitAtMost(waitAtMost));
    LockOptions held = named("max-hold", () -> waiting.maxHold(maxHold));
    return named("hold-at-least", () -> held.holdAtLeast(holdAtLeast));
  }

  /** Fails if a property is set that is no more, and names the one that replaces it. */
  static void checkNames(Environment environment) {
    Binder binder = Binder.get(environment);
    for (String name : List.of("hand-overs", "hand-over-time", "step-back")) {
      if (binder.bind("monolock." + name, String.class).isBound()) {
        throw new IllegalArgumentException(
            "monolock." + name + " is no property any more; set monolock.turn instead");
      }
    }
  }

  void applyTo(ReactiveLocker.Builder builder) {
    ReactiveLocker.Builder unused = builder.defaults(options());
    named("command-timeout", () -> builder.commandTimeout(commandTimeout));
    named("close-timeout", () -> builder.closeTimeout(closeTimeout));
    named("turn", () -> builder.turn(turn));
  }

  /** An error says the rule and the value; here, which property has it. */
  private static <T> T named(String property, Supplier<T> setting) {
    try {
      return setting.get();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("monolock." + property + ": " + e.getMessage(), e);
    }
  }
}
