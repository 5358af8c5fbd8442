// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.reactor.Leadership.Change;
import io.monolock.reactor.Leadership.Status;
import io.monolock.test.Race;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class LeadershipStateTest {

  private final LeadershipState standing = new LeadershipState("leader");
  private final List<Status> told = new ArrayList<>();

  private void listen() {
    standing.changes().map(Change::status).subscribe(told::add, Throwable::printStackTrace);
  }

  @Test
  void lateNewsOfACandidacyThatIsOverDoNotCount() {
    listen();
    ElectionAttempt former = standing.enter(new ElectionAttempt(standing));
    standing.leave(former);
    ElectionAttempt present = standing.enter(new ElectionAttempt(standing));

    standing.changed(former, Status.LEADING, null);
    standing.leave(former);
    standing.changed(present, Status.LEADING, null);

    assertThat(told)
        .containsExactly(Status.IDLE, Status.WAITING, Status.IDLE, Status.WAITING, Status.LEADING);
  }

  @Test
  void changesOfTwoThreadsAreToldOneAfterTheOther() {
    Race.run(
        2_000,
        () -> {
          LeadershipState standing = new LeadershipState("leader");
          List<Status> told = new CopyOnWriteArrayList<>();
          ElectionAttempt candidacy = standing.enter(new ElectionAttempt(standing));
          standing
              .changes()
              .map(Change::status)
              .doOnNext(any -> Thread.yield()) // so that the other one comes in between
              .subscribe(told::add, Throwable::printStackTrace);
          return Race.between(
                  () -> standing.changed(candidacy, Status.LEADING, null),
                  () -> standing.leave(candidacy))
              .thenCheck(() -> assertThat(told).startsWith(Status.WAITING).endsWith(Status.IDLE));
        });
  }
}
