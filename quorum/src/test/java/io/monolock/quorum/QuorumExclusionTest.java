// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/**
 * Several lockers contend for one key at three members, of which one at a time is down, silent,
 * mute, unreliable or restarted empty, over a network of random delays. All is virtual time, so
 * that a run is many thousand attempts.
 */
class QuorumExclusionTest {

  private static final int RUNS = Integer.getInteger("monolock.quorum.runs", 30);
  private static final Duration LENGTH = Duration.ofSeconds(30);
  private static final Duration TTL = Duration.ofSeconds(1);
  private static final int COMPETITORS = 4;

  @Test
  void neverTwoHoldersAndNumbersThatIncrease() {
    int granted = 0;
    for (int seed = 0; seed < RUNS; seed++) {
      Run run = new Run(seed, false);
      assertThat(run.violations()).as("with seed %d", seed).isEmpty();
      granted += run.granted;
    }
    assertThat(granted).isGreaterThan(RUNS * 10);
  }

  /** The rule for restarted members is what keeps them apart, and this test would see it. */
  @Test
  void withMembersThatVoteThoughTheyHaveForgottenThereAreTwoHolders() {
    boolean isViolated =
        IntStream.range(0, 10 * RUNS).anyMatch(seed -> !new Run(seed, true).violations().isEmpty());

    assertThat(isViolated).isTrue();
  }

  private static final class Run {
    private final VirtualQuorum quorum = new VirtualQuorum();
    private final Random random;
    private final List<Competitor> competitors = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final boolean restartedVote;
    private TestMember troubled;
    private long troubleEnds;
    private long restartAllowed = TTL.toMillis();
    private long lastNumber;
    int granted;

    Run(int seed, boolean restartedVote) {
      this.random = new Random(seed);
      this.restartedVote = restartedVote;
      quorum.members.forEach(member -> member.is(network()));
      for (int i = 0; i < COMPETITORS; i++) {
        competitors.add(new Competitor(i));
      }
    }

    private Duration upTo(int millis) {
      return Duration.ofMillis(random.nextInt(millis + 1));
    }

    /** Calls reach a member in the order in which they were made, as stores promise it. */
    private TestMember.Behavior network() {
      return new TestMember.Behavior() {
        private Duration lastArrival = Duration.ZERO;

        @Override
        public <T> Mono<T> apply(Mono<T> call) {
          return Mono.defer(
              () -> {
                int slow = random.nextInt(20) == 0 ? 300 : 4;
                Duration now = Duration.ofMillis(quorum.time.now(TimeUnit.MILLISECONDS));
                Duration arrival = now.plus(upTo(slow));
                lastArrival = arrival.compareTo(lastArrival) > 0 ? arrival : lastArrival;
                Duration there = lastArrival.minus(now);
                return TestMember.slow(there, upTo(slow), quorum.time).apply(call);
              });
        }
      };
    }

    private TestMember.Behavior unreliable() {
      return new TestMember.Behavior() {
        @Override
        public <T> Mono<T> apply(Mono<T> call) {
          return random.nextBoolean() ? TestMember.answerLost().apply(call) : network().apply(call);
        }
      };
    }

    List<String> violations() {
      for (long now = 0; now < LENGTH.toMillis() && violations.isEmpty(); now++) {
        trouble(now);
        for (Competitor competitor : competitors) {
          competitor.step(now);
        }
        quorum.pass(Duration.ofMillis(1));
        check(now);
      }
      return violations;
    }

    private void trouble(long now) {
      if (troubled != null && now >= troubleEnds) {
        troubled.is(network());
        troubled = null;
        troubleEnds = now + random.nextInt(400);
      } else if (troubled == null && now >= troubleEnds) {
        troubled = quorum.member(1 + random.nextInt(3));
        troubleEnds = now + 50 + random.nextInt(1_500);
        int kind = random.nextInt(5);
        if (kind >= 3 && now >= restartAllowed) {
          troubled.restartEmpty();
          troubled.is(TestMember.down());
          troubleEnds = now + 20 + random.nextInt(60);
          restartAllowed = now + 2 * TTL.toMillis();
        } else {
          troubled.is(
              switch (kind) {
                case 0 -> TestMember.down();
                case 1 -> TestMember.silent();
                case 2 -> TestMember.mute();
                case 3 -> TestMember.fails(Reason.SERVER_STATE, true);
                default -> unreliable();
              });
        }
      }
    }

    private void check(long now) {
      List<Integer> holders =
          competitors.stream().filter(Competitor::holds).map(one -> one.number).toList();
      if (holders.size() > 1) {
        violations.add("at %d ms the lock is held by %s".formatted(now, holders));
      }
    }

    private void numbered(long number) {
      granted++;
      if (number <= lastNumber) {
        violations.add("number %d after %d".formatted(number, lastNumber));
      }
      lastNumber = number;
    }

    private final class Competitor {
      private final int number;
      private final ReactiveLocker locker;
      private Lock lock;
      private boolean asking;
      private long until;

      Competitor(int number) {
        this.number = number;
        QuorumLockStore store =
            quorum.store(
                TTL,
                builder ->
                    builder
                        .memberTimeout(Duration.ofMillis(100))
                        .restartedMembersVoteAtOnce(restartedVote));
        this.locker =
            ReactiveLocker.builder(store).timer(quorum.time).publishOn(quorum.time).build();
      }

      boolean holds() {
        return lock != null && lock.isValid();
      }

      void step(long now) {
        if (asking || now < until) {
          return;
        }
        if (lock == null) {
          asking = true;
          LockOptions options =
              LockOptions.of(TTL)
                  .fenced(true)
                  .waitAtMost(Duration.ofMillis(200 + upTo(5_000).toMillis()));
          locker
              .acquire("a", options)
              .subscribe(
                  granted -> {
                    lock = granted;
                    numbered(granted.fencingToken().orElseThrow());
                    granted.keepAlive().subscribe(any -> {}, e -> {});
                    until = now + random.nextInt(1_500);
                  },
                  e -> {
                    asking = false;
                    until = now + random.nextInt(200);
                  },
                  () -> asking = false);
        } else {
          Lock held = lock;
          lock = null;
          until = now + random.nextInt(100);
          if (random.nextInt(5) > 0) {
            held.release().subscribe(any -> {}, e -> {});
          }
        }
      }
    }
  }
}
