// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.monolock.test.CapturedLog;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Keys are in no tag, unless a function makes groups of them. */
class KeyGroupTest {

  private static final Duration TTL = Duration.ofSeconds(9);

  private static MeteredLocker grouped(Function<Set<String>, @Nullable String> keyGroup) {
    return new MeteredLocker(new SimpleMeterRegistry(), b -> b.keyGroup(keyGroup));
  }

  private static String beforeTheColon(Set<String> keys) {
    return keys.iterator().next().replaceFirst(":.*", "");
  }

  private static List<String> groups(MeteredLocker m) {
    return m.registry.getMeters().stream()
        .map(meter -> meter.getId().getTag("key.group"))
        .distinct()
        .sorted()
        .toList();
  }

  @Test
  void noKeyIsInAnyTag() {
    MeteredLocker m = new MeteredLocker();
    m.run(m.locker.withLock("order:42", TTL, Mono.empty()));
    m.run(m.locker.acquire("order:42", TTL));
    m.time.advanceTimeBy(TTL);

    assertThat(m.registry.getMeters())
        .extracting(Meter::getId)
        .noneMatch(id -> id.toString().contains("42"));
    assertThat(groups(m)).containsExactly("all");
  }

  @Test
  void groupsHaveMetersOfTheirOwn() {
    MeteredLocker m = grouped(KeyGroupTest::beforeTheColon);
    m.run(m.locker.acquire("order:42", TTL));
    m.run(m.locker.acquire("order:43", TTL));
    m.run(m.locker.acquire("user:1", TTL));

    assertThat(groups(m)).containsExactly("order", "user");
    assertThat(m.value("monolock.held", "key.group", "order")).isEqualTo(2);
    assertThat(m.value("monolock.held", "key.group", "user")).isEqualTo(1);
    m.time.advanceTimeBy(TTL);
    assertThat(m.value("monolock.held")).isZero();
    assertThat(m.value("monolock.lost", "key.group", "order")).isEqualTo(2);
  }

  static List<Function<Set<String>, @Nullable String>> uselessFunctions() {
    return List.of(
        keys -> null,
        keys -> " ",
        keys -> {
          throw new IllegalStateException("by test");
        },
        keys -> {
          throw new AssertionError("by test");
        });
  }

  @ParameterizedTest
  @MethodSource("uselessFunctions")
  void functionThatGivesNothingMakesOneUnknownGroupAndOneWarning(
      Function<Set<String>, @Nullable String> useless) {
    MeteredLocker m = grouped(useless);

    try (CapturedLog log = new CapturedLog()) {
      m.run(m.locker.withLock("a", TTL, Mono.empty()));
      m.run(m.locker.withLock("b", TTL, Mono.empty()));
      assertThat(log.lines("WARN")).singleElement().asString().contains("keyGroup");
    }

    assertThat(groups(m)).containsExactly("unknown");
    assertThat(m.value("monolock.acquisitions", "outcome", "granted")).isEqualTo(2);
    assertThat(m.observer.size()).isZero();
  }

  @Test
  void groupsBeyondTheMostAreOneOtherGroup() {
    MeteredLocker m =
        new MeteredLocker(
            new SimpleMeterRegistry(), b -> b.keyGroup(KeyGroupTest::beforeTheColon).maxGroups(2));

    try (CapturedLog log = new CapturedLog()) {
      for (String key : List.of("a:1", "b:1", "c:1", "d:1", "a:2")) {
        m.run(m.locker.withLock(key, TTL, Mono.empty()));
      }
      assertThat(log.lines("WARN")).singleElement().asString().contains("more than 2 groups");
    }

    assertThat(groups(m)).containsExactly("a", "b", "other");
    assertThat(m.value("monolock.acquisitions", "key.group", "other")).isEqualTo(2);
    assertThat(m.value("monolock.acquisitions", "key.group", "a")).isEqualTo(2);
  }

  @Test
  void mostGroupsAreOneToTenThousand() {
    MicrometerLockObserver.Builder builder =
        MicrometerLockObserver.builder(new SimpleMeterRegistry());
    for (int wrong : new int[] {0, 10_001}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> builder.maxGroups(wrong))
          .withMessage("maxGroups must be between 1 and 10000, was " + wrong);
    }
  }
}
