// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisMasters;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What was released is free at all members, also at one that the election did not need. */
class KeysLeftAtMembersTest extends OnQuorum {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofMinutes(10)).waitAtMost(LIMIT);

  KeysLeftAtMembersTest(RedisMasters masters) {
    super(masters);
  }

  /** Takes and frees each of the keys. */
  private static void lockAndRelease(Flux<String> keys, int atOnce, ReactiveLocker locker) {
    keys.flatMap(key -> locker.withLock(key, OPTIONS, lock -> Mono.just("done")), atOnce)
        .blockLast(Duration.ofSeconds(60));
  }

  private void assertAllIsFreeSoon() {
    await()
        .atMost(Duration.ofSeconds(5))
        .untilAsserted(
            () ->
                assertThat(Stream.of(1, 2, 3).map(member -> locksAt(member).size()))
                    .as("keys left behind at members 1, 2 and 3")
                    .containsExactly(0, 0, 0));
  }

  @Test
  void aMemberWhoseConnectionsBreakKeepsNothing() {
    ReactiveLocker locker = locker();
    lockAndRelease(Flux.range(0, 100).map(i -> "warm-up:" + i), 20, locker);
    assertAllIsFreeSoon();

    for (int round = 0; round < 5; round++) {
      String name = "round:" + round + ":";
      server(3).command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      lockAndRelease(Flux.range(0, 100).map(i -> name + i), 10, locker);
    }

    assertAllIsFreeSoon();
  }

  @Test
  void locksThatAreNotWaitedForLeaveNothing() {
    lockAndRelease(Flux.range(0, 200).map(i -> "order:" + i), 20, locker());

    assertAllIsFreeSoon();
  }

  @Test
  void aMemberThatGrantsAfterTheReleaseIsFreed() throws Exception {
    try (SlowAttempts attempts = new SlowAttempts(server(3), "order:1")) {
      ReactiveLocker other =
          locker(store(List.of(server(1).uri(), server(2).uri(), attempts.uri())));
      Lock held = get(locker().acquire("order:1", OPTIONS));
      CompletableFuture<Lock> waiter = other.acquire("order:1", OPTIONS).toFuture();
      attempts.awaitPassed();

      attempts.hold();
      get(held.release());
      Lock granted = waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      attempts.awaitHeld();
      assertThat(get(granted.release())).isTrue();
      attempts.goOn();

      assertAllIsFreeSoon();
    }
  }
}
