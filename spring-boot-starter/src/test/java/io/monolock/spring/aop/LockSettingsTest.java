// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.LockOptions;
import io.monolock.spring.Locked;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.mock.env.MockEnvironment;
import reactor.core.publisher.Mono;

/** Which options an annotation sets, and which it leaves to the locker. */
class LockSettingsTest {

  private final LockOptions defaults =
      LockOptions.of(Duration.ofSeconds(1))
          .waitAtMost(Duration.ofSeconds(2))
          .maxHold(Duration.ofSeconds(3))
          .holdAtLeast(Duration.ofSeconds(4))
          .metadata("default")
          .autoRefresh(false)
          .fenced(true)
          .finishOnCancel(true);

  @Locked(keys = "'a'")
  Mono<String> nothing() {
    return Mono.empty();
  }

  @Locked(
      keys = "'a'",
      ttl = "11s",
      waitAtMost = "PT12S",
      maxHold = "${max}",
      holdAtLeast = "14000ms",
      metadata = "node ${node}",
      autoRefresh = true,
      fenced = false,
      finishOnCancel = false)
  Mono<String> everything() {
    return Mono.empty();
  }

  private LockOptions of(String method) throws NoSuchMethodException {
    MockEnvironment environment =
        new MockEnvironment().withProperty("max", "13s").withProperty("node", "7");
    return LockSettings.parse(
            MergedAnnotations.from(getClass().getDeclaredMethod(method)).get(Locked.class),
            environment)
        .applyTo(defaults);
  }

  @Test
  void whatIsNotSetIsTheLockers() throws Exception {
    assertThat(of("nothing")).isSameAs(defaults);
  }

  @Test
  void whatIsSetReplacesTheLockers() throws Exception {
    assertThat(of("everything"))
        .usingRecursiveComparison()
        .isEqualTo(
            defaults
                .ttl(Duration.ofSeconds(11))
                .waitAtMost(Duration.ofSeconds(12))
                .maxHold(Duration.ofSeconds(13))
                .holdAtLeast(Duration.ofSeconds(14))
                .metadata("node 7")
                .autoRefresh(true)
                .fenced(false)
                .finishOnCancel(false));
  }

  @Locked(keys = "'a'", onBusy = Locked.OnBusy.SKIP)
  Mono<String> skipped() {
    return Mono.empty();
  }

  @Locked(keys = "'a'", onBusy = Locked.OnBusy.SKIP, waitAtMost = "12s")
  Mono<String> skippedLater() {
    return Mono.empty();
  }

  @Test
  void whatMayBeSkippedIsAttemptedOnceUnlessTheAnnotationSaysOtherwise() throws Exception {
    assertThat(of("skipped").waitAtMost()).isZero();
    assertThat(of("skippedLater").waitAtMost()).isEqualTo(Duration.ofSeconds(12));
  }

  /** A retry spec cannot be written in an annotation, and one token for all calls is no lock. */
  @Test
  void eachOptionHasAnAttribute() {
    Set<String> options =
        Arrays.stream(LockOptions.class.getMethods())
            .filter(method -> method.getDeclaringClass() == LockOptions.class)
            .filter(method -> method.getParameterCount() == 0)
            .map(Method::getName)
            .collect(Collectors.toSet());
    options.removeAll(Set.of("toString", "retry", "token"));
    Set<String> attributes =
        Arrays.stream(Locked.class.getDeclaredMethods())
            .map(Method::getName)
            .collect(Collectors.toSet());
    attributes.removeAll(Set.of("key", "keys", "locker", "onBusy"));
    assertThat(attributes).isEqualTo(options);
  }
}
