// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReplicaPairTest {

  private final ReplicaPair pair = ReplicaPair.start();
  private final RedisServer first = pair.primary();
  private final RedisServer second = pair.replica();

  @AfterEach
  void close() {
    pair.close();
  }

  @Test
  void theReplicaFollowsAndRefusesWrites() {
    first.command("SET", "key", "value");
    pair.awaitInSync();
    assertThat(second.command("GET", "key")).isEqualTo("value");
    assertThatThrownBy(() -> second.command("SET", "key", "other"))
        .hasMessageStartingWith("READONLY");
  }

  @Test
  void aCutLinkKeepsWritesFromTheReplicaUntilItIsMended() {
    pair.cutReplication();
    first.command("SET", "key", "value");
    assertThat(second.command("GET", "key")).isNull();
    pair.mendReplication();
    assertThat(second.command("GET", "key")).isEqualTo("value");
  }

  @Test
  void aPromotedReplicaLacksWhatItNeverGotAndTheFormerPrimaryLosesIt() {
    pair.cutReplication();
    first.command("SET", "key", "old");
    pair.promote();
    assertThat(pair.primary()).isSameAs(second);
    assertThat(pair.replica()).isSameAs(first);
    assertThat(second.command("SET", "other", "new")).isEqualTo("OK");
    assertThat(first.command("SET", "key", "still old")).isEqualTo("OK");
    pair.mendReplication();
    pair.rejoin();
    assertThat(first.command("GET", "key")).isNull();
    assertThat(first.command("GET", "other")).isEqualTo("new");
  }

  @Test
  void aFailoverLosesNothingAndCanGoBackAndTheLinkCanStillBeCut() {
    first.command("SET", "key", "value");
    pair.failOver();
    assertThat(pair.primary()).isSameAs(second);
    assertThat(second.command("SET", "other", "value")).isEqualTo("OK");
    assertThatThrownBy(() -> first.command("SET", "key", "other"))
        .hasMessageStartingWith("READONLY");
    pair.cutReplication();
    second.command("SET", "third", "value");
    assertThat(first.command("GET", "third")).isNull();
    pair.mendReplication();
    pair.failOver();
    assertThat(first.command("MGET", "key", "other", "third"))
        .isEqualTo(List.of("value", "value", "value"));
  }
}
