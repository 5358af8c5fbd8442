// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Counts waiters that get the lock before earlier ones.
 *
 * <p>A waiter is earlier than another one if its {@code subscribe} had returned when that of the
 * other was called; if the calls overlap, none is earlier.
 */
final class OvertakingCounter {

  private static final long NEVER = Long.MAX_VALUE;

  private final long[] began;
  private final long[] returned;
  private final int[] grantRanks;
  private final AtomicInteger tickets = new AtomicInteger();
  private final AtomicInteger grants = new AtomicInteger();

  /**
   * @param capacity how many waiters are checked; later ones are ignored
   */
  OvertakingCounter(int capacity) {
    began = new long[capacity];
    returned = new long[capacity];
    grantRanks = new int[capacity];
    Arrays.fill(returned, NEVER);
    Arrays.fill(grantRanks, Integer.MAX_VALUE);
  }

  /** A waiter is about to subscribe. */
  int arrive() {
    int ticket = tickets.getAndIncrement();
    if (ticket < began.length) {
      began[ticket] = System.nanoTime();
    }
    return ticket;
  }

  /** Its {@code subscribe} has returned. */
  void subscribed(int ticket) {
    if (ticket < began.length) {
      returned[ticket] = System.nanoTime();
    }
  }

  /** The waiter has the lock; called by holders only. */
  void granted(int ticket) {
    if (ticket < began.length) {
      grantRanks[ticket] = grants.getAndIncrement();
    }
  }

  /** The count of pairs in which the later waiter got the lock first. */
  long overtaken() {
    int most = grants.get();
    int count = Math.min(tickets.get(), began.length);
    long[] begins = Arrays.copyOf(began, count);
    long[] returns = Arrays.copyOf(returned, count);
    int[] rankOf = Arrays.stream(grantRanks, 0, count).map(rank -> Math.min(rank, most)).toArray();
    int[] byReturn = sorted(returns);
    Ranks before = new Ranks(most + 1);
    long overtaken = 0;
    int next = 0;
    for (int later : sorted(begins)) {
      while (next < count && returns[byReturn[next]] < begins[later]) {
        before.add(rankOf[byReturn[next++]]);
      }
      if (rankOf[later] < most) {
        overtaken += before.above(rankOf[later]);
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

  /** A multiset of numbers that counts its elements above a given one. */
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
