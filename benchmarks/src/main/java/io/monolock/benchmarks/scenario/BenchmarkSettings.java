// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.contender.Contenders;
import java.time.Duration;
import java.util.Set;

/**
 * The settings of a run.
 *
 * @param contenders the contenders to measure
 * @param rounds how often each contender is measured
 * @param firstWarmUp how long a process works before it is measured for the first time
 * @param warmUp how long it works before each other window
 * @param window how long is measured
 * @param idleWindow how long waiters that do nothing are watched
 * @param idleWaiters how many of them there are
 * @param refreshWindow how long locks that are kept alive are watched
 * @param refreshed how many of them there are
 * @param processes whether clients have processes of their own
 */
public record BenchmarkSettings(
    Set<Contenders> contenders,
    int rounds,
    Duration firstWarmUp,
    Duration warmUp,
    Duration window,
    Duration idleWindow,
    int idleWaiters,
    Duration refreshWindow,
    int refreshed,
    boolean processes) {

  /**
   * A run whose figures count.
   *
   * @param contenders the contenders to measure
   * @param rounds how often each contender is measured
   * @return the settings
   */
  public static BenchmarkSettings full(Set<Contenders> contenders, int rounds) {
    return new BenchmarkSettings(
        contenders,
        rounds,
        Duration.ofSeconds(10),
        Duration.ofSeconds(2),
        Duration.ofSeconds(5),
        Duration.ofSeconds(60),
        10_000,
        Duration.ofMinutes(2),
        100_000,
        true);
  }

  /**
   * A run that only shows that the program works; its figures are meaningless.
   *
   * @param contenders the contenders to measure
   * @return the settings
   */
  public static BenchmarkSettings quick(Set<Contenders> contenders) {
    return new BenchmarkSettings(
        contenders,
        1,
        Duration.ofMillis(50),
        Duration.ofMillis(20),
        Duration.ofMillis(100),
        Duration.ofMillis(200),
        500,
        Duration.ofMillis(200),
        1_000,
        false);
  }

  /**
   * The same with windows of another length.
   *
   * @param length the length of all windows
   * @return new settings
   */
  public BenchmarkSettings withWindow(Duration length) {
    return new BenchmarkSettings(
        contenders,
        rounds,
        firstWarmUp,
        warmUp,
        length,
        length,
        idleWaiters,
        length,
        refreshed,
        processes);
  }
}
