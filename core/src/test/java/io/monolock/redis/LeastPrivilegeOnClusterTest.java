// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.Lock;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.RedisCluster;
import io.monolock.test.SlotMigration;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** The documented user of a cluster passes the contract, and follows keys that move. */
class LeastPrivilegeOnClusterTest extends OnCluster implements LockStoreContract {

  private static final String KEY = "lock:a";

  private final DocumentedUser user = DocumentedUser.named("cluster");
  private RedisLockStore store;

  LeastPrivilegeOnClusterTest(RedisCluster cluster) {
    super(cluster);
  }

  @BeforeEach
  void createStore() {
    create(user);
    store = storeOn(client);
  }

  private void create(DocumentedUser user) {
    cluster.nodes().forEach(node -> user.createOn(node.server()));
  }

  @AfterEach
  void closeStore() {
    store.close().block(LIMIT);
  }

  @Override
  RedisURI seed(String uri) {
    return user.at(uri);
  }

  @Override
  public LockStore store() {
    return store;
  }

  @Test
  @DisplayName("B83: the documented user fences a key without a hash tag")
  void aKeyWithoutAHashTagIsFenced() {
    Lock lock = get(locker().acquire(KEY, OPTIONS.fenced(true)));

    assertThat(lock.fencingToken()).isPresent();
    assertThat(get(lock.release())).isTrue();
  }

  @Test
  @DisplayName("B83: the documented user follows a lock through a migration and a fail-over")
  void aLockIsFollowed() {
    Lock lock = lock(locker(), KEY);
    SlotMigration migration = cluster.beginMigration(cluster.slotOf(KEY), otherThanOwnerOf(KEY));
    migration.moveKey(KEY);
    get(lock.extend(Duration.ofSeconds(30)));
    migration.finish();
    get(lock.extend(Duration.ofSeconds(40)));

    cluster.failOver(replicaOfOwnerOf(KEY));

    get(lock.extend(Duration.ofSeconds(50)));
    assertThat(get(lock.release())).isTrue();
  }

  private static void assertRefusedAtOnce(Mono<Lock> acquisition) {
    LockStoreException refused = trouble(acquisition);
    assertThat(refused.reason()).as(refused.toString()).isEqualTo(Reason.PERMISSION);
    assertThat(refused.isTransient()).isFalse();
  }

  private static LockStoreException trouble(Mono<Lock> acquisition) {
    return assertThatExceptionOfType(LockStoreException.class)
        .isThrownBy(() -> acquisition.block(LIMIT))
        .actual();
  }

  @ParameterizedTest
  @ValueSource(strings = {"+cluster|nodes", "~{lock:*"})
  @DisplayName("B83: a right that the user of a cluster lacks is reported at once")
  void aMissingRightIsReportedAtOnce(String right) {
    create(user.without(right));

    assertRefusedAtOnce(locker().acquire(KEY, OPTIONS.fenced(true)));
  }

  @Test
  @DisplayName("B83: without ASKING, keys are out of reach while they move")
  void withoutAskingKeysAreOutOfReachWhileTheyMove() {
    create(user.without("+asking"));
    ReactiveLocker locker = locker();
    SlotMigration migration = cluster.beginMigration(cluster.slotOf(KEY), otherThanOwnerOf(KEY));

    assertThat(trouble(locker.tryAcquire(KEY, OPTIONS)).reason()).isEqualTo(Reason.SERVER_STATE);
    migration.finish();
    assertThat(get(lock(locker, KEY).release())).isTrue();
  }

  /** The view of a client with one seed may be that of another server, without credentials. */
  @Test
  void aClusterClientAloneIsEnoughOrTheMessageNamesWhatIsNot() {
    RedisClusterClient other = RedisClusterClient.create(seed(cluster.uris().get(0)));
    ReactiveLocker locker = ReactiveLocker.create(RedisLockStore.create(other));
    try {
      assertThat(get(lock(locker, KEY).release())).isTrue();
    } catch (LockStoreException e) {
      assertThat(e).hasMessageContaining("RedisLockStore.builder(client, uri)");
      assertThat(e.reason()).isEqualTo(Reason.PERMISSION);
    } finally {
      get(locker.close());
      other.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  @Test
  void aWrongPasswordIsReportedAtOnce() {
    cluster
        .nodes()
        .forEach(
            node -> node.server().command("ACL", "SETUSER", user.name(), "resetpass", ">another"));

    assertRefusedAtOnce(locker().acquire(KEY, OPTIONS));
  }
}
