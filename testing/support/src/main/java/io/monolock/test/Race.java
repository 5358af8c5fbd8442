// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Two actions that run against each other in two threads, again and again, with another offset
 * between their starts each time.
 *
 * <pre>{@code
 * Race.run(
 *     1_000,
 *     () -> {
 *       Account account = new Account(1);
 *       return Race.between(account::withdraw, account::close)
 *           .thenCheck(() -> assertThat(account.balance()).isNotNegative());
 *     });
 * }</pre>
 *
 * <p>Either may be the first. The offset is random and about a millisecond at most; as many are
 * below a microsecond as above. A failure says the round and the offset. The same seed gives the
 * same offsets, but not the same schedule of the threads.
 */
public final class Race {

  private static final long TIMEOUT_SECONDS = 30;
  private static final int BITS_OF_A_MILLISECOND = 20;

  private final ExecutorService threads = Executors.newFixedThreadPool(2, Race::thread);
  private final int rounds;
  private final long seed;
  private final Random random;

  private Race(int rounds, long seed) {
    this.rounds = rounds;
    this.seed = seed;
    this.random = new Random(seed);
  }

  /** What one of the two does, or what must be true in the end. */
  @FunctionalInterface
  public interface Action {

    /**
     * Runs.
     *
     * @throws Exception if it fails, and with it the race
     */
    void run() throws Exception;
  }

  /**
   * One round of a race.
   *
   * @param first what one thread does
   * @param second what the other does
   * @param check fails if something is wrong when both are done; runs in the thread of the caller
   */
  public record Round(Action first, Action second, Action check) {

    /**
     * Replaces the check.
     *
     * @param check fails if something is wrong when both are done
     * @return the round with that check
     */
    public Round thenCheck(Action check) {
      return new Round(first, second, check);
    }
  }

  /**
   * Describes a round without a check.
   *
   * @param first what one thread does
   * @param second what the other does
   * @return the round
   */
  public static Round between(Action first, Action second) {
    return new Round(first, second, () -> {});
  }

  /**
   * Runs a race with offsets that are new each time.
   *
   * @param rounds how many, 1 or more
   * @param each prepares a round, in the thread of the caller
   * @throws AssertionError if a round fails, or one of its actions takes more than 30 seconds; the
   *     message says which round, with which offset and seed, the cause why
   */
  public static void run(int rounds, Callable<Round> each) {
    run(rounds, System.nanoTime(), each);
  }

  /**
   * Runs a race with the offsets of an earlier one.
   *
   * @param rounds how many, 1 or more
   * @param seed the seed that the message of a failure names
   * @param each prepares a round, in the thread of the caller
   * @throws AssertionError as {@link #run(int, Callable)} does
   */
  public static void run(int rounds, long seed, Callable<Round> each) {
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds must be 1 or more, was " + rounds);
    }
    Race race = new Race(rounds, seed);
    try {
      for (int number = 1; number <= rounds; number++) {
        race.runRound(number, each);
      }
    } finally {
      race.threads.shutdownNow();
    }
  }

  private void runRound(int number, Callable<Round> each) {
    long offset = nextOffset();
    try {
      Round round = each.call();
      raceOnce(round, offset);
      round.check().run();
    } catch (Exception | AssertionError e) {
      String message =
          "Round %d of %d failed, second action %d ns after the first, seed %d"
              .formatted(number, rounds, offset, seed);
      throw new AssertionError(message, e);
    }
  }

  private void raceOnce(Round round, long offset) throws Exception {
    StartLine line = new StartLine();
    Future<?> first = threads.submit(() -> start(round.first(), line, -offset));
    Future<?> second = threads.submit(() -> start(round.second(), line, offset));
    Throwable failure = failureOf(first);
    Throwable other = failureOf(second);
    if (failure == null) {
      failure = other;
    } else if (other != null) {
      failure.addSuppressed(other);
    }
    if (failure != null) {
      throw new ExecutionException(failure);
    }
  }

  private static @Nullable Void start(Action action, StartLine line, long delay) throws Exception {
    line.await(delay);
    action.run();
    return null;
  }

  /** Where both threads wait for each other and then, by one clock, for their moment. */
  private static final class StartLine {

    private final AtomicInteger missing = new AtomicInteger(2);
    private volatile long start;

    @SuppressWarnings("ThreadPriorityCheck")
    void await(long delay) {
      if (missing.decrementAndGet() == 0) {
        start = System.nanoTime();
        missing.decrementAndGet();
      }
      // also where both threads share one processor must each have a chance to be the first
      while (missing.get() >= 0 || System.nanoTime() - start < delay) {
        Thread.yield();
      }
    }
  }

  private static @Nullable Throwable failureOf(Future<?> action) throws InterruptedException {
    try {
      var unused = action.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (TimeoutException e) {
      return e;
    }
  }

  private long nextOffset() {
    long magnitude = (long) Math.pow(2, random.nextDouble() * BITS_OF_A_MILLISECOND);
    return random.nextBoolean() ? magnitude : -magnitude;
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "monolock-race");
    thread.setDaemon(true);
    return thread;
  }
}
