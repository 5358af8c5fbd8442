// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.DelegatingLockStore;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** G14: bad input is refused when the call is assembled, before anything is sent. */
class BadInputTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));
  private static final String TOKEN = "0123456789abcdefghijkl";

  private final VirtualLocker v = new VirtualLocker();

  /** A call that takes keys. */
  interface KeysCall {
    Object assemble(ReactiveLocker locker, Collection<String> keys);
  }

  private static final Map<String, KeysCall> CALLS =
      Map.of(
          "tryAcquire", (locker, keys) -> locker.tryAcquire(keys, OPTIONS),
          "acquire", (locker, keys) -> locker.acquire(keys, OPTIONS),
          "withLock", (locker, keys) -> locker.withLock(keys, OPTIONS, lock -> Mono.empty()),
          "withLockMany",
              (locker, keys) -> locker.withLockMany(keys, OPTIONS, lock -> Flux.empty()),
          "attach", (locker, keys) -> locker.attach(keys, TOKEN, OPTIONS));

  /** Keys, and what the message says: the rule and the value. */
  private static final Map<Collection<String>, List<String>> BAD_KEYS =
      Map.of(
          List.of(), List.of("at least one key", "[]"),
          Collections.singletonList(null), List.of("must not be null"),
          Arrays.asList("a", null), List.of("must not be null"),
          List.of(""), List.of("must not be empty", "\"\""),
          List.of("x\ud800y"), List.of("unpaired surrogate", "index 1"),
          List.of("x\udc00"), List.of("unpaired surrogate", "index 1"),
          IntStream.rangeClosed(0, 1_024).mapToObj(i -> "k" + i).toList(),
              List.of("at most 1024", "1025"),
          List.of("k".repeat(65_537)), List.of("at most 65,536 bytes", "65,537", "kkk..."));

  static Stream<Arguments> badCalls() {
    List<Arguments> all = new ArrayList<>();
    CALLS.forEach(
        (name, call) ->
            BAD_KEYS.forEach((keys, words) -> all.add(arguments(name, words, keys, call))));
    return all.stream();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("badCalls")
  void badKeysAreRefusedAtAssembly(
      String name, List<String> words, Collection<String> keys, KeysCall call) {
    assertThatThrownBy(() -> call.assemble(v.locker, keys))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .contains(words)
        .hasSizeLessThan(300);
    assertThat(v.store.calls()).isEmpty();
  }

  static Stream<Arguments> calls() {
    return CALLS.entrySet().stream().map(e -> arguments(e.getKey(), e.getValue()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("calls")
  void noCollectionIsRefusedAtAssembly(String name, KeysCall call) {
    assertThatThrownBy(() -> call.assemble(v.locker, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one key");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("calls")
  void keysThatTheStoreCannotTakeTogetherAreRefusedAtAssembly(String name, KeysCall call) {
    ReactiveLocker locker = ReactiveLocker.create(new OneKeyStore());

    assertThatThrownBy(() -> call.assemble(locker, List.of("a", "b")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not these together");
  }

  static Stream<String> badKeys() {
    return Stream.of(null, "", "x\ud800", "k".repeat(65_537));
  }

  @ParameterizedTest
  @MethodSource("badKeys")
  void theCallsForOperatorsRefuseBadKeysAtAssembly(String key) {
    assertThatThrownBy(() -> v.locker.inspect(key)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> v.locker.forceRelease(key))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(v.store.calls()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("badKeys")
  void theFormsForOneKeyRefuseBadKeysAtAssembly(String key) {
    Stream.<Runnable>of(
            () -> v.locker.tryAcquire(key, OPTIONS),
            () -> v.locker.acquire(key, OPTIONS),
            () -> v.locker.withLock(key, OPTIONS, lock -> Mono.empty()),
            () -> v.locker.withLockMany(key, OPTIONS, lock -> Flux.empty()),
            () -> v.locker.tryAcquire(key, Duration.ofSeconds(1)),
            () -> v.locker.acquire(key, Duration.ofSeconds(1)),
            () -> v.locker.withLock(key, Duration.ofSeconds(1), Mono.empty()),
            () -> v.locker.withLock(key, Duration.ofSeconds(1), lock -> Mono.empty()))
        .forEach(
            call -> assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class));
  }

  @Test
  @DisplayName("B50: the shortcuts refuse a ttl out of range at assembly")
  void theShortcutsRefuseABadTtlAtAssembly() {
    Stream.<Runnable>of(
            () -> v.locker.tryAcquire("a", Duration.ZERO),
            () -> v.locker.acquire("a", Duration.ofNanos(999_999)),
            () -> v.locker.withLock("a", Duration.ofMillis(-1), Mono.empty()),
            () -> v.locker.withLock(List.of("a"), Duration.ZERO, Mono.empty()),
            () -> v.locker.withLock("a", Duration.ofDays(366), lock -> Mono.empty()))
        .forEach(
            call ->
                assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("ttl must be between 10 ms and 365 days, was PT"));
  }

  @Test
  void attachRefusesABadTokenWithoutShowingIt() {
    assertThatThrownBy(() -> v.locker.attach(List.of("a"), "secret", OPTIONS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("22 characters")
        .hasMessageContaining("of length 6")
        .message()
        .doesNotContain("secret");
    assertThatThrownBy(() -> v.locker.attach(List.of("a"), null, OPTIONS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("null");
  }

  @Test
  void duplicatedKeysAreOneKey() {
    Lock lock = v.get(v.locker.acquire(List.of("b", "a", "b"), OPTIONS));

    assertThat(lock.keys()).containsExactly("a", "b");
  }

  /** Takes no two keys together. */
  private static final class OneKeyStore extends DelegatingLockStore {

    OneKeyStore() {
      super(InMemoryLockStore.create());
    }

    @Override
    public void check(LockKeys keys, boolean fenced) {
      if (keys.size() > 1) {
        throw new IllegalArgumentException("not these together");
      }
    }
  }
}
