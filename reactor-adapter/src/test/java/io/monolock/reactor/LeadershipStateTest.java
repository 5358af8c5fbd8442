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

  private final LeadershipState state = new LeadershipState("leader");
  private final List<Status> statuses = new ArrayList<>();

  private void recordStatuses() {
    state.changes().map(Change::status).subscribe(statuses::add, Throwable::printStackTrace);
  }

  @Test
  void changesOfAnEndedAttemptAreIgnored() {
    recordStatuses();
    ElectionAttempt former = state.enter(new ElectionAttempt(state));
    state.leave(former);
    ElectionAttempt current = state.enter(new ElectionAttempt(state));

    state.changed(former, Status.LEADING, null);
    state.leave(former);
    state.changed(current, Status.LEADING, null);

    assertThat(statuses)
        .containsExactly(Status.IDLE, Status.WAITING, Status.IDLE, Status.WAITING, Status.LEADING);
  }

  @Test
  void changesOfTwoThreadsAreSignalledOneAfterTheOther() {
    Race.run(
        2_000,
        () -> {
          LeadershipState state = new LeadershipState("leader");
          List<Status> statuses = new CopyOnWriteArrayList<>();
          ElectionAttempt attempt = state.enter(new ElectionAttempt(state));
          state
              .changes()
              .map(Change::status)
              .doOnNext(any -> Thread.yield()) // so that the other one comes in between
              .subscribe(statuses::add, Throwable::printStackTrace);
          return Race.between(
                  () -> state.changed(attempt, Status.LEADING, null), () -> state.leave(attempt))
              .thenCheck(
                  () -> assertThat(statuses).startsWith(Status.WAITING).endsWith(Status.IDLE));
        });
  }
}
