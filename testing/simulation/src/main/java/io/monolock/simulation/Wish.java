// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.LockOptions;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/**
 * Options as a user might give them.
 *
 * @param longestPause the longest pause of the retry spec, in nanoseconds
 */
record Wish(LockOptions options, long longestPause) {

  /** The longest hold, in ttl's. */
  static final int LONGEST_HOLD = 8;

  /** What may be other than by default, beside the ttl and the times of waiting. */
  enum Feature {
    FENCED,
    METADATA,
    OWN_TOKEN,
    SHARED_TOKEN,
    HOLD_AT_LEAST,
    MAX_HOLD,
    FINISH_ON_CANCEL,
    NO_REFRESH,
    NO_WAIT,
    FEW_RETRIES,
    RETRY_SPEC_THROWS
  }

  static Wish draw(Swarm swarm, Chance random) {
    Duration pause = random.pick(swarm.pauses());
    LockOptions options =
        LockOptions.of(random.pick(swarm.ttls()))
            .waitAtMost(random.pick(swarm.waits()))
            .retry(retry(swarm, random, pause));
    for (Feature feature : swarm.features()) {
      if (random.oneIn(3)) {
        options = with(feature, options, swarm, random);
      }
    }
    return new Wish(options, pause.toNanos());
  }

  private static LockOptions with(
      Feature feature, LockOptions options, Swarm swarm, Chance random) {
    return switch (feature) {
      case FENCED -> options.fenced(true);
      case METADATA -> options.metadata("node " + random.below(9));
      case OWN_TOKEN -> options.token(random.token());
      case SHARED_TOKEN ->
          options.token(("shared-" + random.below(2) + "-".repeat(22)).substring(0, 22));
      case HOLD_AT_LEAST ->
          options.holdAtLeast(
              random.pick(swarm.ttls()).multipliedBy(random.between(1, LONGEST_HOLD)));
      case MAX_HOLD -> options.maxHold(random.pick(swarm.ttls()).multipliedBy(3));
      case FINISH_ON_CANCEL -> options.finishOnCancel(true);
      case NO_REFRESH -> options.autoRefresh(false);
      case NO_WAIT -> options.waitAtMost(Duration.ZERO);
      case FEW_RETRIES, RETRY_SPEC_THROWS -> options;
    };
  }

  private static Retry retry(Swarm swarm, Chance random, Duration pause) {
    if (swarm.features().contains(Feature.RETRY_SPEC_THROWS) && random.oneIn(8)) {
      return throwing(random);
    }
    long most = swarm.features().contains(Feature.FEW_RETRIES) && random.oneIn(3) ? 3 : 1_000_000;
    return random.oneIn(2)
        ? Retry.fixedDelay(most, pause)
        : Retry.backoff(most, Duration.ofMillis(20)).maxBackoff(pause).jitter(0);
  }

  private static Retry throwing(Chance random) {
    return switch (random.below(3)) {
      case 0 ->
          Retry.from(
              failures -> {
                throw new IllegalStateException("a spec that throws");
              });
      case 1 -> Retry.from(failures -> failures.map(any -> Sneaky.rethrow()));
      default -> Retry.from(failures -> Flux.error(new IllegalStateException("a spec that fails")));
    };
  }
}
