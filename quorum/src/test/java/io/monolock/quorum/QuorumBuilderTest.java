// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused, and what is not sent, when a quorum is built. */
class QuorumBuilderTest {

  private static final Duration TTL = Duration.ofMinutes(1);

  private static List<InMemoryLockStore> stores(int count) {
    return Stream.generate(InMemoryLockStore::create).limit(count).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 4, 6})
  @DisplayName("B64: too few members, or an even number")
  void anOddNumberOfAtLeastThreeIsNeeded(int count) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> QuorumLockStore.create(stores(count), TTL))
        .withMessageContaining("odd number")
        .withMessageContaining("was given " + count);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5, 7})
  void moreMembersAreFine(int count) {
    assertThat(QuorumLockStore.create(stores(count), TTL)).isNotNull();
  }

  @Test
  @DisplayName("B64: the same store twice")
  void theSameStoreTwiceIsRefused() {
    List<InMemoryLockStore> stores = stores(2);

    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> QuorumLockStore.create(List.of(stores.get(0), stores.get(1), stores.get(0)), TTL))
        .withMessageContaining("number 3 is there twice");
  }

  @Test
  void nullIsRefused() {
    LockStore store = InMemoryLockStore.create();
    assertThatThrownBy(() -> QuorumLockStore.create(Arrays.asList(store, null, null), TTL))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("must not be null");
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    QuorumLockStore.Builder builder = QuorumLockStore.builder(stores(3), TTL);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.memberTimeout(Duration.ZERO))
        .withMessageContaining("memberTimeout must be between PT0.001S and PT1M, was PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> QuorumLockStore.create(stores(3), Duration.ofDays(366)))
        .withMessageContaining("largestTtl must be between");
  }

  @Test
  void aClusterAndAStoreThatCannotTellWhatItForgotAreRefused() {
    RedisClusterClient client = RedisClusterClient.create("redis://localhost:1");
    RedisLockStore cluster = RedisLockStore.create(client);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                QuorumLockStore.create(
                    List.of(InMemoryLockStore.create(), InMemoryLockStore.create(), cluster), TTL))
        .withMessageContaining("not a cluster");
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));

    QuorumLockStore quorum = QuorumLockStore.create(stores(3), TTL);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                QuorumLockStore.create(
                    List.of(InMemoryLockStore.create(), InMemoryLockStore.create(), quorum), TTL))
        .withMessageContaining("must tell since when it has forgotten nothing");
  }

  @Test
  void locksThatMayLiveForLongerThanTheLargestTtlAreRefusedWhenTheyAreAssembled() {
    ReactiveLocker locker = ReactiveLocker.create(QuorumLockStore.create(stores(3), TTL));
    Duration longer = TTL.plusMillis(1);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> locker.acquire("a", longer))
        .withMessageContaining("PT1M0.001S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> locker.acquire("a", LockOptions.of(TTL).holdAtLeast(longer)))
        .withMessageContaining("PT1M0.001S");
    locker.close().block(TTL);
  }

  @Test
  void buildingSendsNothing() {
    VirtualQuorum quorum = new VirtualQuorum();
    quorum.store();
    assertThat(quorum.members).allMatch(member -> member.calls().isEmpty());
  }
}
