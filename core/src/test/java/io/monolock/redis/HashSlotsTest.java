// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.monolock.store.LockKeys;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HashSlotsTest {

  @Test
  @DisplayName("G14: keys of different slots are refused, with their slots and what helps")
  void keysOfDifferentSlotsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HashSlots.check(LockKeys.of(List.of("foo", "bar")), key -> key, false))
        .withMessage(
            "In a cluster all keys of a lock must have one hash slot, was bar in slot 5061, foo in"
                + " slot 12182; give them one hash tag, as in {order}:1 and {order}:2");
  }

  @Test
  void keysOfOneTagAreOneLock() {
    assertThatNoException()
        .isThrownBy(
            () ->
                HashSlots.check(
                    LockKeys.of(List.of("{order}:1", "{order}:2", "order")), key -> key, false));
  }

  @ParameterizedTest
  @CsvSource({
    "order:42, {order:42}:fence",
    "{order}:42, {order}:42:fence",
    "a{b}c{d}, a{b}c{d}:fence",
    "x}{t}, x}{t}:fence"
  })
  void fenceKeyIsInTheSlotOfTheLock(String key, String fence) {
    assertThat(HashSlots.fence(key)).isEqualTo(fence);
    assertThat(HashSlots.of(fence)).isEqualTo(HashSlots.of(key));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}a", "{a", "a}b", "{}{a}"})
  @DisplayName("G14: a key with a brace but without a tag cannot be fenced in a cluster")
  void keyWithABraceButWithoutATagCannotBeFenced(String key) {
    assertThatNoException()
        .isThrownBy(() -> HashSlots.check(LockKeys.of(key), same -> same, false));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HashSlots.check(LockKeys.of(key), same -> same, true))
        .withMessageContaining("cannot be fenced, was " + key + ";");
  }
}
