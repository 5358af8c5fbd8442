// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisMasters;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import reactor.util.retry.Retry;

/** A member that may have forgotten a lock must not help to grant it to another holder. */
class ForgetfulMemberTest extends OnQuorum {

  private static final LockOptions SHORT =
      LockOptions.of(Duration.ofSeconds(1)).waitAtMost(Duration.ofSeconds(15));
  private static final LockOptions ONCE =
      LockOptions.of(Duration.ofHours(1)).waitAtMost(Duration.ZERO);

  ForgetfulMemberTest(RedisMasters masters) {
    super(masters);
  }

  private static void lockAndRelease(ReactiveLocker locker, String key, LockOptions options) {
    get(locker.acquire(key, options).flatMap(Lock::release));
  }

  /** Short locks come and go for longer than their ttl. */
  private static void lockForAWhile(ReactiveLocker locker) {
    await()
        .pollInterval(Duration.ofMillis(250))
        .during(Duration.ofSeconds(4))
        .atMost(LIMIT)
        .until(
            () -> {
              lockAndRelease(locker, "short", SHORT);
              return true;
            });
  }

  @Test
  void aVoteForShortLocksDoesNotCountForALongOneThatTheMemberForgot() {
    Process one = process();
    Process two = process();
    lockAndRelease(one.locker(), "short", SHORT);
    lockAndRelease(two.locker(), "short", SHORT);
    one.cut(3);
    Lock held = get(one.locker().acquire("nightly", ONCE));
    restartEmpty(2);
    lockForAWhile(two.locker());

    assertThat(two.canLock("nightly", ONCE)).as("granted to a second process").isFalse();
    assertThat(held.isValid()).isTrue();
  }

  @Test
  void aMemberThatForgotAKeptLockDoesNotVoteWhileTheOthersKeepIt() {
    LockOptions daily = SHORT.holdAtLeast(Duration.ofHours(20)).waitAtMost(Duration.ZERO);
    ReactiveLocker locker = process().locker();
    lockAndRelease(locker, "short", SHORT);
    // another process had asked for it at the same time, and given up
    server(3).command("SET", "daily", "contender-contender-co", "PX", "300");
    lockAndRelease(locker, "daily", daily);
    await().atMost(LIMIT).until(() -> locksAt(3).isEmpty());
    restartEmpty(2);
    lockForAWhile(locker);

    assertThat(get(locker.tryAcquire("daily", daily).hasElement()))
        .as("granted a second time in the same period")
        .isFalse();
  }

  @Test
  void membersThatAreAskedForTheFirstTimeAreNoNewQuorum() {
    restartEmpty(3); // it has nothing to forget, and is not asked yet
    Process one = process();
    one.cut(3);
    Lock held = get(one.locker().acquire("nightly", ONCE));
    restartEmpty(2);
    Process two = process();
    two.cut(1);

    assertThat(two.canLock("nightly", ONCE)).as("granted to a second process").isFalse();
    assertThat(held.isValid()).isTrue();
  }

  @Test
  void aMemberThatForgetsWhileAnAttemptIsOnItsWayDoesNotVoteForIt() throws Exception {
    LockOptions nightly =
        LockOptions.of(Duration.ofMinutes(10))
            .waitAtMost(LIMIT)
            .retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(500)));
    try (SlowAttempts attempts = new SlowAttempts(server(2), "nightly")) {
      ReactiveLocker two = locker(store(List.of(server(1).uri(), attempts.uri(), server(3).uri())));
      lockAndRelease(two, "short", SHORT);
      Process one = process();
      one.cut(3);
      Lock held = get(one.locker().acquire("nightly", nightly));
      attempts.hold();
      CompletableFuture<Lock> waiter = two.acquire("nightly", nightly).toFuture();

      attempts.awaitHeld();
      server(2).command("FLUSHALL");
      attempts.goOn();

      assertThatExceptionOfType(TimeoutException.class)
          .as("granted to a second process")
          .isThrownBy(() -> waiter.get(3, TimeUnit.SECONDS));
      assertThat(held.isValid()).isTrue();
      waiter.cancel(true);
    }
  }
}
