// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.test.ClusterView.NodeLine;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterViewTest {

  private static final ClusterView VIEW =
      ClusterView.parse(
          """
          a 127.0.0.1:11000@21000 myself,master - 0 0 3 connected 0-2 7 [7->-b] [9-<-b]
          b 127.0.0.1:11001@21001,name,shard-id=1 master,fail - 1 2 4 disconnected 5 8-9
          c 127.0.0.1:11002@21002 slave b 1 2 4 connected
          d 127.0.0.1:11003@21003 handshake - 1 2 0 connected
          e 127.0.0.1:11004@21004 master,fail? - 1 2 0 connected
          """);

  @Test
  void slotsAreReadAloneAndInRanges() {
    assertThat(VIEW.self().slots().stream()).containsExactly(0, 1, 2, 7);
    assertThat(VIEW.line("b").orElseThrow().slots().stream()).containsExactly(5, 8, 9);
    assertThat(VIEW.owned()).containsOnlyKeys("a", "b");
  }

  @Test
  void slotsThatMigrateAreKnown() {
    assertThat(VIEW.self().movingSlots()).isEqualTo(List.of(7, 9));
  }

  @Test
  void onlyNodesWithoutProblemsAreWell() {
    assertThat(VIEW.lines().values().stream().filter(NodeLine::isWell).map(NodeLine::id))
        .containsExactlyInAnyOrder("a", "c");
    assertThat(VIEW.line("b").orElseThrow().isFailed()).isTrue();
    assertThat(VIEW.line("e").orElseThrow().isFailed()).isFalse();
  }

  @Test
  void aReplicaKnowsItsMaster() {
    assertThat(VIEW.line("c").map(NodeLine::master)).contains("b");
    assertThat(VIEW.line("c").orElseThrow().isMaster()).isFalse();
    assertThat(VIEW.self().isMaster()).isTrue();
  }
}
