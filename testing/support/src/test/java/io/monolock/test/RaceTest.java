// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RaceTest {

  @RepeatedTest(20)
  void eitherActionIsFirstAtTimesAndBothRunInEachRound() {
    AtomicInteger runs = new AtomicInteger();
    Set<String> first = new HashSet<>();
    Race.run(
        100,
        () -> {
          AtomicReference<String> winner = new AtomicReference<>();
          return Race.between(
                  () -> {
                    runs.incrementAndGet();
                    winner.compareAndSet(null, "first");
                  },
                  () -> {
                    runs.incrementAndGet();
                    winner.compareAndSet(null, "second");
                  })
              .thenCheck(() -> first.add(winner.get()));
        });
    assertThat(runs).hasValue(200);
    assertThat(first).containsExactlyInAnyOrder("first", "second");
  }

  @Test
  void theActionsRunInTwoThreadsThatAreNotTheCallers() {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    Race.run(
        3,
        () ->
            Race.between(
                () -> threads.add(Thread.currentThread()),
                () -> threads.add(Thread.currentThread())));
    assertThat(threads).hasSize(2).doesNotContain(Thread.currentThread());
  }

  @RepeatedTest(20)
  void aRaceFindsALostUpdate() {
    assertThatThrownBy(
            () ->
                Race.run(
                    20_000,
                    () -> {
                      AtomicInteger count = new AtomicInteger();
                      Race.Action increment =
                          () -> {
                            int seen = count.get();
                            // also on one processor the other may come in between
                            Thread.yield();
                            count.set(seen + 1);
                          };
                      return Race.between(increment, increment)
                          .thenCheck(() -> assertThat(count).hasValue(2));
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageMatching(
            "Round \\d+ of 20000 failed, second action -?\\d+ ns after the first, seed -?\\d+");
  }

  @Test
  void aFailureOfAnActionOrOfBothIsReported() {
    Exception one = new Exception("one");
    Exception two = new Exception("two");
    Race.Action fails =
        () -> {
          throw one;
        };
    Race.Action failsToo =
        () -> {
          throw two;
        };
    assertThatThrownBy(() -> Race.run(3, () -> Race.between(() -> {}, fails)))
        .hasMessageStartingWith("Round 1 of 3 failed")
        .hasRootCause(one);
    assertThatThrownBy(() -> Race.run(3, () -> Race.between(fails, failsToo))).hasRootCause(one);
    assertThat(one.getSuppressed()).containsExactly(two);
  }

  @Test
  void theSameSeedGivesTheSameOffsets() {
    assertThat(offsets(42)).isEqualTo(offsets(42)).isNotEqualTo(offsets(43));
  }

  @Test
  void offsetsAreAboutAMillisecondAtMost() {
    assertThat(offsets(7)).allMatch(offset -> Math.abs(offset) <= 1 << 20);
  }

  @Test
  void eitherActionIsTheEarlierOne() {
    assertThat(offsets(7)).anyMatch(offset -> offset > 0).anyMatch(offset -> offset < 0);
  }

  @Test
  void aRaceHasARound() {
    assertThatThrownBy(() -> Race.run(0, () -> Race.between(() -> {}, () -> {})))
        .hasMessage("rounds must be 1 or more, was 0");
  }

  private static List<Long> offsets(long seed) {
    List<Long> offsets = new ArrayList<>();
    for (int rounds = 1; rounds <= 10; rounds++) {
      AtomicInteger left = new AtomicInteger(rounds);
      int count = rounds;
      assertThatThrownBy(
              () ->
                  Race.run(
                      count,
                      seed,
                      () ->
                          Race.between(() -> {}, () -> {})
                              .thenCheck(() -> assertThat(left.decrementAndGet()).isPositive())))
          .satisfies(
              e ->
                  offsets.add(Long.valueOf(e.getMessage().replaceAll(".*action (.*) ns.*", "$1"))));
    }
    return offsets;
  }
}
