// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import reactor.util.retry.Retry;

/**
 * A random call of a worker.
 *
 * @param way how it takes the lock
 * @param keys the keys
 * @param options the options
 * @param hold how long its body takes
 * @param cancelAfter when it cancels, if it does
 */
record CallPlan(
    Way way,
    List<String> keys,
    LockOptions options,
    Duration hold,
    Optional<Duration> cancelAfter) {

  /** How to take a lock. */
  enum Way {
    /** A scope around a Mono. */
    SCOPE,
    /** A scope around a Flux. */
    SCOPE_OF_MANY,
    /** A handle that is kept alive. */
    KEPT_HANDLE,
    /** A handle that its owner polls and does not prolong. */
    HANDLE,
    /** A handle that its owner releases only after its end. */
    FORGOTTEN_HANDLE,
    /** One attempt, not prolonged. */
    TRIED_HANDLE;

    boolean isScope() {
      return this == SCOPE || this == SCOPE_OF_MANY;
    }
  }

  static CallPlan random(Random random, ChaosTopology topology, Breakage breakage) {
    Way way = breakage == Breakage.DEADLINE ? wayOfOwners(random) : anyWay(random);
    boolean isForgotten = way == Way.FORGOTTEN_HANDLE;
    boolean outlastsItsLease = isForgotten || random.nextInt(20) == 0;
    Duration ttl = ttl(random, topology, outlastsItsLease);
    LockOptions options =
        LockOptions.of(ttl)
            .fenced(true)
            .waitAtMost(Duration.ofMillis(between(random, 200, 4_000)))
            .autoRefresh(!outlastsItsLease && random.nextInt(6) != 0)
            .finishOnCancel(random.nextInt(4) == 0);
    if (random.nextBoolean()) {
      options = options.retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(15)));
    }
    return new CallPlan(
        way,
        keys(random, topology),
        options,
        outlastsItsLease ? ttl.plusMillis(between(random, 20, 150)) : hold(random),
        !isForgotten && random.nextInt(6) == 0
            ? Optional.of(Duration.ofMillis(random.nextInt(250)))
            : Optional.empty());
  }

  private static Way wayOfOwners(Random random) {
    return random.nextInt(3) == 0 ? Way.FORGOTTEN_HANDLE : Way.HANDLE;
  }

  private static Way anyWay(Random random) {
    int dice = random.nextInt(40);
    if (dice < 18) {
      return Way.SCOPE;
    } else if (dice < 22) {
      return Way.SCOPE_OF_MANY;
    } else if (dice < 28) {
      return Way.KEPT_HANDLE;
    } else if (dice < 33) {
      return Way.HANDLE;
    }
    return dice < 38 ? Way.TRIED_HANDLE : Way.FORGOTTEN_HANDLE;
  }

  private static Duration ttl(Random random, ChaosTopology topology, boolean outlastsIt) {
    if (outlastsIt) {
      return Duration.ofMillis(between(random, 250, 500));
    }
    return random.nextInt(6) == 0
        ? topology.longestTtl()
        : Duration.ofMillis(between(random, 250, 1_200));
  }

  /** Mostly short; sometimes so long that many a lease has to be prolonged. */
  private static Duration hold(Random random) {
    return Duration.ofMillis(
        random.nextInt(20) == 0 ? between(random, 200, 1_000) : random.nextInt(20));
  }

  private static List<String> keys(Random random, ChaosTopology topology) {
    List<List<String>> all = topology.keys();
    List<String> together = all.size() == 1 ? all.get(0) : all.get(random.nextInt(all.size()));
    int first = random.nextInt(together.size());
    if (random.nextInt(4) != 0) {
      return List.of(together.get(first));
    }
    int second = (first + 1) % together.size();
    return List.of(together.get(first), together.get(second));
  }

  private static int between(Random random, int least, int most) {
    return least + random.nextInt(most - least + 1);
  }
}
