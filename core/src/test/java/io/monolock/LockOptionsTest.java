// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.util.retry.Retry;

class LockOptionsTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));

  /** A value for each option that differs from its default. */
  private static final Map<String, Object> OTHER_VALUES =
      Map.of(
          "ttl",
          Duration.ofSeconds(11),
          "retry",
          Retry.max(3),
          "waitAtMost",
          Duration.ofSeconds(12),
          "autoRefresh",
          false,
          "maxHold",
          Duration.ofSeconds(13),
          "fenced",
          true,
          "metadata",
          "job 7",
          "token",
          "0123456789abcdefghijkl",
          "holdAtLeast",
          Duration.ofSeconds(14),
          "finishOnCancel",
          true);

  static Stream<Method> withers() {
    return Arrays.stream(LockOptions.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getReturnType() == LockOptions.class);
  }

  private static Map<String, Object> values(LockOptions options) {
    return withers().map(Method::getName).collect(toMap(name -> name, name -> get(options, name)));
  }

  private static Object get(LockOptions options, String name) {
    try {
      Object value = LockOptions.class.getMethod(name).invoke(options);
      return value instanceof Optional<?> optional
          ? optional.<Object>map(o -> o).orElse("")
          : value;
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("no accessor for " + name, e);
    }
  }

  private static LockOptions with(LockOptions options, Method wither) {
    try {
      return (LockOptions) wither.invoke(options, OTHER_VALUES.get(wither.getName()));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("withers")
  void eachMethodChangesExactlyItsOwnOption(Method wither) {
    Map<String, Object> expected = values(OPTIONS);
    assertThat(expected.put(wither.getName(), OTHER_VALUES.get(wither.getName())))
        .isNotEqualTo(OTHER_VALUES.get(wither.getName()));

    assertThat(values(with(OPTIONS, wither))).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("withers")
  void eachMethodKeepsEveryOptionThatWasSetBefore(Method last) {
    LockOptions all =
        withers()
            .filter(wither -> !wither.equals(last))
            .reduce(OPTIONS, LockOptionsTest::with, (a, b) -> b);

    assertThat(values(with(all, last))).isEqualTo(OTHER_VALUES);
  }

  @Test
  void anInstanceIsNeverChanged() {
    Map<String, Object> before = values(OPTIONS);
    withers().forEach(wither -> with(OPTIONS, wither));

    assertThat(values(OPTIONS)).isEqualTo(before);
  }

  @Test
  void theTextShowsEveryOptionThatHasOne() {
    Set<String> names = new TreeSet<>(OTHER_VALUES.keySet());
    names.remove("retry");

    assertThat(OPTIONS.toString()).contains(names.stream().map(name -> name + "=").toList());
  }

  @Test
  void defaultsAreAsDocumented() {
    Map<String, Object> defaults = values(OPTIONS);
    defaults.remove("retry");

    assertThat(defaults)
        .isEqualTo(
            Map.of(
                "ttl",
                Duration.ofSeconds(10),
                "waitAtMost",
                Duration.ofSeconds(10),
                "autoRefresh",
                true,
                "maxHold",
                Duration.ofHours(24),
                "fenced",
                false,
                "metadata",
                "",
                "token",
                "",
                "holdAtLeast",
                Duration.ZERO,
                "finishOnCancel",
                false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0.01S", "PT1S", "PT8760H"})
  void aTtlWithinTheRangeIsTaken(Duration ttl) {
    assertThat(LockOptions.of(ttl).ttl()).isEqualTo(ttl);
    assertThat(OPTIONS.maxHold(ttl).maxHold()).isEqualTo(ttl);
    assertThat(OPTIONS.holdAtLeast(ttl).holdAtLeast()).isEqualTo(ttl);
    assertThat(OPTIONS.waitAtMost(ttl).waitAtMost()).isEqualTo(ttl);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "PT0.009999999S", "PT8760H0.000000001S"})
  @DisplayName("B47, B50: a ttl out of range is refused with the rule and the value")
  void aTtlOutOfRangeIsRefused(Duration ttl) {
    assertThatThrownBy(() -> LockOptions.of(ttl))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ttl must be between 10 ms and 365 days, was " + ttl);
  }

  @Test
  @DisplayName("B47: durations beyond every clock are refused without overflow")
  void hugeDurationsAreRefused() {
    Duration huge = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    Stream.<Runnable>of(
            () -> OPTIONS.ttl(huge),
            () -> OPTIONS.waitAtMost(huge),
            () -> OPTIONS.maxHold(huge),
            () -> OPTIONS.holdAtLeast(huge),
            () -> OPTIONS.ttl(Duration.ofMillis(Long.MAX_VALUE)),
            () -> OPTIONS.ttl(Duration.ofSeconds(Long.MIN_VALUE)))
        .forEach(
            option ->
                assertThatThrownBy(option::run)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must be between"));
  }

  @Test
  @DisplayName("B50: parts of a millisecond are rounded up")
  void partsOfAMillisecondAreRoundedUp() {
    Duration odd = Duration.ofNanos(10_000_001);
    Duration whole = Duration.ofMillis(11);

    assertThat(OPTIONS.ttl(odd).ttl()).isEqualTo(whole);
    assertThat(OPTIONS.waitAtMost(odd).waitAtMost()).isEqualTo(whole);
    assertThat(OPTIONS.maxHold(odd).maxHold()).isEqualTo(whole);
    assertThat(OPTIONS.holdAtLeast(Duration.ofNanos(1)).holdAtLeast())
        .isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void metadataMayBeAsLongAsAKey() {
    String longest = "ä".repeat(32 * 1_024);

    assertThat(OPTIONS.metadata(longest).metadata()).isEqualTo(longest);
    assertThatThrownBy(() -> OPTIONS.metadata(longest + "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65,536")
        .hasMessageContaining("65,537");
  }

  @Test
  void metadataWithUnpairedSurrogatesIsRefused() {
    assertThatThrownBy(() -> OPTIONS.metadata("x\ud800"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("surrogate");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "short",
        "0123456789abcdefghijk",
        "0123456789abcdefghijklm",
        "0123456789abcdefghij+/",
        "0123456789abcdefghijkl\n"
      })
  void aTokenThatIsNotOneIsRefusedWithoutBeingShown(String token) {
    assertThatThrownBy(() -> OPTIONS.token(token))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("22 characters")
        .hasMessageContaining("of length " + token.length());
  }

  @Test
  void nullIsRefused() {
    Stream.<Runnable>of(
            () -> OPTIONS.ttl(null),
            () -> OPTIONS.retry(null),
            () -> OPTIONS.waitAtMost(null),
            () -> OPTIONS.maxHold(null),
            () -> OPTIONS.metadata(null),
            () -> OPTIONS.token(null),
            () -> OPTIONS.holdAtLeast(null))
        .forEach(
            option ->
                assertThatThrownBy(option::run)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("was null"));
  }
}
