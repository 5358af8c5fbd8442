// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.ScriptedStore.Call;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A store that answers nothing any more is told so (B101). */
class SilenceTest {

  private static final Duration TTL = Duration.ofSeconds(30);

  private final VirtualLocker v =
      new VirtualLocker(builder -> builder.commandTimeout(Duration.ofSeconds(1)));

  @Test
  @DisplayName("B101: an acquisition without an answer for the time of a command is a silence")
  void unansweredAcquisition() {
    v.store.next(Call.ACQUIRE, ScriptedStore.swallowed());
    v.run(v.locker.tryAcquire("a", TTL));

    v.pass(Duration.ofMillis(999));
    assertThat(v.store.silences()).isZero();
    v.pass(Duration.ofMillis(1));
    assertThat(v.store.silences()).isEqualTo(1);
  }

  @Test
  void oneSlowAnswerAmongOthersIsNoSilence() {
    v.store.next(Call.ACQUIRE, ScriptedStore.swallowed());
    v.run(v.locker.tryAcquire("a", TTL));
    v.pass(Duration.ofMillis(500));
    v.run(v.locker.inspect("b"));

    v.pass(Duration.ofSeconds(10));

    assertThat(v.store.silences()).isZero();
  }

  @Test
  void aReadWithoutAnAnswerIsASilence() {
    v.store.next(Call.INSPECT, ScriptedStore.swallowed());
    v.run(v.locker.inspect("a"));

    v.pass(Duration.ofSeconds(1));

    assertThat(v.store.silences()).isEqualTo(1);
  }

  @Test
  void impatienceOfAShortTtlIsNoSilence() {
    v.store.next(Call.ACQUIRE, ScriptedStore.swallowed());
    v.run(v.locker.tryAcquire("a", Duration.ofMillis(20)));

    v.pass(Duration.ofSeconds(10));

    assertThat(v.store.silences()).isZero();
  }

  @Test
  void callsOfShortPatienceNoticeTheSilenceTogether() {
    v.store.always(Call.ACQUIRE, ScriptedStore.swallowed());
    v.store.always(Call.RELEASE, ScriptedStore.swallowed());
    for (int i = 0; i < 3; i++) {
      assertThat(v.store.silences()).isZero();
      v.run(v.locker.tryAcquire("a", Duration.ofMillis(400)));
      v.pass(Duration.ofMillis(400));
    }

    assertThat(v.store.silences()).isEqualTo(1);
  }

  @Test
  void aSilenceThatLastsIsToldAgain() {
    v.store.always(Call.INSPECT, ScriptedStore.swallowed());
    for (int i = 0; i < 3; i++) {
      v.run(v.locker.inspect("a"));
      v.pass(Duration.ofSeconds(1));
    }

    assertThat(v.store.silences()).isEqualTo(3);
  }
}
