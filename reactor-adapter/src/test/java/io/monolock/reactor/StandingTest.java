// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.reactor.Leadership.Change;
import io.monolock.reactor.Leadership.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StandingTest {

  private final Standing standing = new Standing("leader");
  private final List<Status> told = new ArrayList<>();

  private void listen() {
    standing.changes().map(Change::status).subscribe(told::add, Throwable::printStackTrace);
  }

  @Test
  void lateNewsOfACandidacyThatIsOverDoNotCount() {
    listen();
    Candidacy former = standing.enter(new Candidacy(standing));
    standing.leave(former);
    Candidacy present = standing.enter(new Candidacy(standing));

    standing.changed(former, Status.LEADING, null);
    standing.leave(former);
    standing.changed(present, Status.LEADING, null);

    assertThat(told)
        .containsExactly(Status.IDLE, Status.WAITING, Status.IDLE, Status.WAITING, Status.LEADING);
  }

  @Test
  void changeThatAListenerCausesIsToldAfterTheOneThatItHears() {
    standing
        .changes()
        .map(Change::status)
        .subscribe(
            status -> {
              told.add(status);
              if (status == Status.IDLE && told.size() == 1) {
                standing.enter(new Candidacy(standing));
                told.add(null);
              }
            },
            Throwable::printStackTrace);

    assertThat(told).startsWith(Status.IDLE).endsWith(Status.WAITING).hasSize(3);
  }
}
