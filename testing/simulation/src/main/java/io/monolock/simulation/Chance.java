// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Draws lots, always the same ones from the same seed. */
final class Chance {

  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

  private final SplittableRandom random;

  /** Of this seed. */
  Chance(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** Random numbers of their own. */
  SplittableRandom split() {
    return random.split();
  }

  /** Any seed. */
  long seed() {
    return random.nextLong();
  }

  /** From zero to less than this. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  /** From the least to the most. */
  int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  /** True once in so many times. */
  boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  /** One of these. */
  <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** Nanoseconds, of which short ones are as likely as long ones. */
  long duration(long least, long most) {
    return (long) (least * StrictMath.pow((double) most / least, random.nextDouble()));
  }

  /** Between so many milliseconds, in nanoseconds. */
  long time(long leastMillis, long mostMillis) {
    return duration(leastMillis * 1_000_000, mostMillis * 1_000_000);
  }

  /** A rate of a clock, so that two of them differ by less than one percent. */
  double rate() {
    return 1 + (random.nextDouble() - 0.5) * 0.0095;
  }

  /** One of the keys, or some. */
  LockKeys some(Collection<String> keys) {
    List<String> all = new ArrayList<>(new TreeSet<>(keys));
    if (all.size() == 1 || !oneIn(3)) {
      return LockKeys.of(pick(all));
    }
    Set<String> some = new TreeSet<>();
    int size = between(1, all.size());
    while (some.size() < size) {
      some.add(pick(all));
    }
    return LockKeys.of(some);
  }

  /** Each of them or not, but one at least. */
  <E extends Enum<E>> List<E> subset(Class<E> type, int percent) {
    Set<E> subset = EnumSet.noneOf(type);
    E[] all = type.getEnumConstants();
    for (E one : all) {
      if (random.nextInt(100) < percent) {
        subset.add(one);
      }
    }
    if (subset.isEmpty()) {
      subset.add(all[random.nextInt(all.length)]);
    }
    return List.copyOf(subset);
  }

  /** Some of the durations, one at least. */
  List<Duration> some(Duration... all) {
    List<Duration> some = new ArrayList<>();
    for (Duration one : all) {
      if (oneIn(3)) {
        some.add(one);
      }
    }
    return some.isEmpty() ? List.of(all[random.nextInt(all.length)]) : List.copyOf(some);
  }

  /** A token. */
  String token() {
    StringBuilder token = new StringBuilder();
    for (int i = 0; i < 22; i++) {
      token.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return token.toString();
  }
}
