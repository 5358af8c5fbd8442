// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.test.RedisMasters;
import io.monolock.test.ServerNode;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A master and its replica, without sentinels or a cluster. */
class FailOversTest {

  private final RedisMasters servers = RedisMasters.start(2);
  private final ServerNode master = servers.node(0);
  private final ServerNode replica = servers.node(1);
  private FailOvers failOvers;

  @BeforeEach
  void watch() {
    follow(replica, master);
    failOvers = FailOvers.observe(servers.nodes(), SentinelServers::keysMastered);
  }

  @AfterEach
  void close() {
    failOvers.close();
    servers.close();
  }

  private static void follow(ServerNode node, ServerNode master) {
    node.server().command("REPLICAOF", master.host(), "" + master.port());
  }

  private static void promote(ServerNode node) {
    node.server().command("REPLICAOF", "NO", "ONE");
  }

  /** Fails when it does not come in the time that a test may take. */
  private List<LossyFailOver> lossyWhen(Predicate<List<LossyFailOver>> condition) {
    while (!condition.test(failOvers.lossy())) {
      LockSupport.parkNanos(1_000_000);
    }
    return failOvers.lossy();
  }

  private static boolean isOver(List<LossyFailOver> lossy) {
    return lossy.stream().noneMatch(failOver -> failOver.until() == LossyFailOver.NOT_YET);
  }

  @Test
  void aNewMasterMayHaveLostWritesUntilTheFormerOneKnows() {
    long before = System.nanoTime();
    promote(replica);
    LossyFailOver open = lossyWhen(lossy -> !lossy.isEmpty()).get(0);
    assertThat(open.until()).isEqualTo(LossyFailOver.NOT_YET);
    assertThat(open.keys()).contains("chaos:a");
    assertThat(open.from()).isLessThan(System.nanoTime());

    follow(master, replica);
    LossyFailOver failOver = lossyWhen(FailOversTest::isOver).get(0);
    assertThat(failOver.until()).isGreaterThan(before);
    assertThat(failOvers.lossy()).hasSize(1);
  }

  @Test
  void aMasterThatIsPausedStillIsOne() {
    master.server().pause();
    promote(replica);
    lossyWhen(lossy -> !lossy.isEmpty());
    failOvers.orderly(replica, () -> {});
    assertThat(isOver(failOvers.lossy())).isFalse();

    master.server().resume();
    follow(master, replica);
    assertThat(lossyWhen(FailOversTest::isOver)).hasSize(1);
  }

  @Test
  void aMasterThatIsDeadIsNone() {
    master.server().kill();
    promote(replica);
    assertThat(lossyWhen(lossy -> !lossy.isEmpty() && isOver(lossy))).hasSize(1);
  }

  @Test
  void aChangeInOrderLosesNothing() {
    failOvers.orderly(
        replica,
        () -> {
          promote(replica);
          follow(master, replica);
        });
    assertThat(failOvers.lossy()).isEmpty();
  }

  @Test
  void aMasterThatIsBackHasLostNothing() {
    master.server().restart();
    failOvers.orderly(replica, () -> {});
    assertThat(failOvers.lossy()).isEmpty();
  }
}
