// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeysTest {

  @Test
  void keysAreDistinctAndSorted() {
    LockKeys keys = LockKeys.of(List.of("b", "a", "b", "c"));

    assertThat(keys.asList()).containsExactly("a", "b", "c");
    assertThat(keys.asSet()).containsExactly("a", "b", "c");
    assertThat(keys.size()).isEqualTo(3);
    assertThat(keys).hasToString("[a, b, c]");
  }

  @Test
  void setsOfTheSameKeysAreEqual() {
    assertThat(LockKeys.of(List.of("b", "a")))
        .isEqualTo(LockKeys.of(List.of("a", "b", "a")))
        .hasSameHashCodeAs(LockKeys.of(List.of("a", "b")))
        .isNotEqualTo(LockKeys.of("a"));
  }

  @Test
  void laterChangesOfTheGivenCollectionAreNotSeen() {
    List<String> given = new ArrayList<>(List.of("a"));
    LockKeys keys = LockKeys.of(given);
    given.add("b");

    assertThat(keys.asList()).containsExactly("a");
  }

  @Test
  void keysCannotBeChanged() {
    LockKeys keys = LockKeys.of("a");

    assertThatThrownBy(() -> keys.asSet().add("b"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> keys.asList().add("b"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void asManyKeysAsAllowedAreTaken() {
    List<String> keys = IntStream.range(0, 2 * 1_024).mapToObj(i -> "k" + i / 2).toList();

    assertThat(LockKeys.of(keys).size()).isEqualTo(1_024);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "é", "€", "𝄞"})
  void theLengthOfAKeyCountsInBytesOfUtf8(String character) {
    int bytes = character.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
    String filled = character.repeat(64 * 1_024 / bytes) + "x".repeat(64 * 1_024 % bytes);

    assertThat(LockKeys.of(filled).size()).isEqualTo(1);
    assertThatThrownBy(() -> LockKeys.of(filled + "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65,537");
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", "\u0000", "{tag}", "a\nb", "日本", "\ud834\udd1e"})
  void anyValidUnicodeIsAKey(String key) {
    assertThat(LockKeys.of(key).asList()).containsExactly(key);
  }
}
