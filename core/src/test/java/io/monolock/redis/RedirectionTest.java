// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectionTest {

  private static final Address SAYS = new Address("10.0.0.1", 6379);

  private static @Nullable Redirection in(String answer) {
    return Redirection.in(new RedisCommandExecutionException(answer));
  }

  @Test
  void slotThatHasMovedIsElsewhere() {
    Redirection moved = in("MOVED 3999 10.0.0.2:6381");

    assertThat(moved).isEqualTo(new Redirection(false, "10.0.0.2", 6381));
    assertThat(moved.from(SAYS)).isEqualTo(new Address("10.0.0.2", 6381));
  }

  @Test
  void keyThatWasHandedOverIsAskedForElsewhere() {
    assertThat(in("ASK 3999 redis-2.example:6381"))
        .isEqualTo(new Redirection(true, "redis-2.example", 6381));
  }

  @Test
  void addressOfTheSixthVersionIsUnderstood() {
    assertThat(in("MOVED 3999 fd00::2:6381")).isEqualTo(new Redirection(false, "fd00::2", 6381));
  }

  @ParameterizedTest
  @ValueSource(strings = {"MOVED 3999 :6381", "MOVED 3999 ?:6381"})
  void withoutAHostItIsThatOfTheServerWhichSaysSo(String answer) {
    assertThat(in(answer).from(SAYS)).isEqualTo(new Address("10.0.0.1", 6381));
  }

  @ParameterizedTest
  @ValueSource(strings = {"TRYAGAIN Multiple keys", "MOVED", "ERR MOVED 1 a:1"})
  void anythingElseIsNone(String answer) {
    assertThat(in(answer)).isNull();
    assertThat(Redirection.in(new IllegalStateException("MOVED 1 a:1"))).isNull();
  }
}
