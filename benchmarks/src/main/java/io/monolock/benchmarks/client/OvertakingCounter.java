// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * In which order waiters came and in which they got the lock.
 *
 * <p>One came before another if its {@code subscribe} had returned when that of the other was
 * called; of two that came at the same time, none is before the other.
 */
final class OvertakingCounter {

  private static final long NEVER = Long.MAX_VALUE;

  private final long[] began;
  private final long[] returned;
  private final int[] granted;
  private final AtomicInteger tickets = new AtomicInteger();
  private final AtomicInteger grants = new AtomicInteger();

  /**
   * @param capacity how many are looked at; those that come after them are not
   */
  OvertakingCounter(int capacity) {
    began = new long[capacity];
    returned = new long[capacity];
    granted = new int[capacity];
    Arrays.fill(returned, NEVER);
    Arrays.fill(granted, Integer.MAX_VALUE);
  }

  /** Somebody is about to subscribe. */
  int comes() {
    int ticket = tickets.getAndIncrement();
    if (ticket < began.length) {
      began[ticket] = System.nanoTime();
    }
    return ticket;
  }

  /** Its {@code subscribe} has returned. */
  void waits(int ticket) {
    if (ticket < began.length) {
      returned[ticket] = System.nanoTime();
    }
  }

  /** It has the lock; called by holders only. */
  void goes(int ticket) {
    if (ticket < began.length) {
      granted[ticket] = grants.getAndIncrement();
    }
  }

  /** How many pairs there are of which the one that came later got the lock earlier. */
  long overtaken() {
    int most = grants.get();
    int count = Math.min(tickets.get(), began.length);
    long[] begins = Arrays.copyOf(began, count);
    long[] returns = Arrays.copyOf(returned, count);
    int[] ranks = Arrays.stream(granted, 0, count).map(rank -> Math.min(rank, most)).toArray();
    int[] byReturn = sorted(returns);
    Ranks before = new Ranks(most + 1);
    long overtaken = 0;
    int next = 0;
    for (int later : sorted(begins)) {
      while (next < count && returns[byReturn[next]] < begins[later]) {
        before.add(ranks[byReturn[next++]]);
      }
      if (ranks[later] < most) {
        overtaken += before.above(ranks[later]);
      }
    }
    return overtaken;
  }

  /** The tickets in the order of these times. */
  private static int[] sorted(long[] times) {
    return IntStream.range(0, times.length)
        .boxed()
        .sorted(Comparator.comparingLong(ticket -> times[ticket]))
        .mapToInt(ticket -> ticket)
        .toArray();
  }

  /** A bag of numbers that tells how many of them are above another. */
  private static final class Ranks {

    // a Fenwick tree
    private final int[] tree;
    private int size;

    Ranks(int limit) {
      tree = new int[limit + 1];
    }

    void add(int number) {
      size++;
      for (int i = number + 1; i < tree.length; i += i & -i) {
        tree[i]++;
      }
    }

    int above(int number) {
      int upTo = 0;
      for (int i = number + 1; i > 0; i -= i & -i) {
        upTo += tree[i];
      }
      return size - upTo;
    }
  }
}
