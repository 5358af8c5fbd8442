// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisMasters;
import io.monolock.test.RedisSentinels;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A quorum of two servers and a primary that Sentinels replace. */
@Tag("thorough")
class MemberBehindSentinelsTest extends OnQuorum {

  private static final LockOptions ONCE =
      LockOptions.of(Duration.ofHours(1)).waitAtMost(Duration.ZERO);

  private final RedisSentinels sentinels;
  private FaultProxy wayToSecond;

  /** It does not reach the second server once that is cut. */
  private ReactiveLocker one;

  private ReactiveLocker two;

  MemberBehindSentinelsTest(RedisMasters masters, RedisSentinels sentinels) {
    super(masters);
    this.sentinels = sentinels;
  }

  @BeforeEach
  void openLockers() {
    wayToSecond = FaultProxy.before(server(2));
    QuorumLockStore store = store(List.of(server(1).uri(), wayToSecond.uri(), sentinels.uri()));
    get(store.declareNew().retry(20));
    one = locker(store);
    two = locker(store(List.of(server(1).uri(), server(2).uri(), sentinels.uri())));
    get(two.acquire("short", ONCE).flatMap(Lock::release));
  }

  @AfterEach
  void recover() {
    sentinels.recover();
    wayToSecond.close();
  }

  private void cutSecond() {
    wayToSecond.refuse();
    wayToSecond.cut();
  }

  @Test
  void aGrantThatAFailOverHasLostIsNotGrantedAgain() {
    cutSecond();
    Lock held = get(one.acquire("nightly", ONCE));
    ServerNode former = sentinels.killMaster();
    sentinels.awaitNewMaster(former).server().command("DEL", "nightly"); // as if it never came

    assertThat(get(two.tryAcquire("nightly", ONCE).hasElement()))
        .as("granted to a second process")
        .isFalse();
    assertThat(held.isValid()).isTrue();
  }

  @Test
  void locksAreHeldAndGrantedWhileAMemberFailsOver() {
    Lock held = get(one.acquire("nightly", ONCE));
    ServerNode former = sentinels.killMaster();

    get(held.extend(Duration.ofHours(2)));
    assertThat(held.remaining()).isGreaterThan(Duration.ofMinutes(100));
    assertThat(get(two.acquire("other", ONCE).flatMap(Lock::release))).isTrue();

    sentinels.awaitNewMaster(former);
    assertThat(get(two.acquire("another", ONCE).flatMap(Lock::release))).isTrue();
    assertThat(get(held.release())).isTrue();
    assertThat(get(two.acquire("nightly", ONCE).flatMap(Lock::release))).isTrue();
  }
}
