// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.engine.ScriptedStore.answerLost;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.LockOptions;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** What is in doubt is released once more, which must not undo what the first release has kept. */
class HoldAtLeastInDoubtTest {

  private final VirtualLocker v = new VirtualLocker();

  @Test
  void repeatedReleaseKeepsWhatIsLeftOfHoldAtLeast() {
    LockOptions options =
        LockOptions.of(Duration.ofSeconds(30)).holdAtLeast(Duration.ofMinutes(10));
    v.store.next(ACQUIRE, answerLost());
    SignalProbe<Integer> job = v.run(v.locker.withLock("job", options, lock -> Mono.just(1)));
    v.pass(Duration.ofSeconds(1));
    assertThat(job.value()).isEqualTo(1);

    v.pass(Duration.ofMinutes(8));
    assertThat(v.isFree("job")).as("free before holdAtLeast is over").isFalse();
    assertThat(v.run(v.another().tryAcquire("job", options)).values).isEmpty();

    v.pass(Duration.ofMinutes(2));
    assertThat(v.isFree("job")).as("free after holdAtLeast").isTrue();
  }
}
