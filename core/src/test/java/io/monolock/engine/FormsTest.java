// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.DelegatingLockStore;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Each way to lock takes a key or several, the defaults, a ttl or options, and any kind of body.
 */
class FormsTest {

  private static final Duration DEFAULT = Duration.ofSeconds(20);
  private static final Duration TTL = Duration.ofSeconds(40);
  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(60));

  private static final Map<Class<?>, Object> ARGUMENTS =
      Map.of(
          String.class,
          "a",
          Collection.class,
          List.of("a", "b"),
          Duration.class,
          TTL,
          LockOptions.class,
          OPTIONS,
          Mono.class,
          Mono.just("body"),
          Flux.class,
          Flux.just("body"),
          Function.class,
          (Function<Lock, Mono<String>>) lock -> Mono.just("body"));

  /** The kinds of bodies of each way. */
  private static final Map<String, Set<Class<?>>> BODIES =
      Map.of(
          "tryAcquire", Set.of(),
          "acquire", Set.of(),
          "withLock", Set.of(Mono.class, Function.class),
          "tryWithLock", Set.of(Mono.class, Function.class),
          "withLockMany", Set.of(Flux.class, Function.class));

  private final Map<String, Duration> asked = new HashMap<>();

  private final ReactiveLocker locker =
      ReactiveLocker.builder(
              new DelegatingLockStore(InMemoryLockStore.create()) {
                @Override
                public Mono<Grant> acquire(
                    LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
                  keys.asSet().forEach(key -> asked.put(key, ttl));
                  return super.acquire(keys, token, metadata, ttl, fenced);
                }
              })
          .defaults(LockOptions.of(DEFAULT))
          .build();

  @AfterEach
  void close() {
    locker.close().block(TTL);
  }

  static Stream<Method> forms() {
    return Stream.of(ReactiveLocker.class.getMethods())
        .filter(method -> BODIES.containsKey(method.getName()));
  }

  private static String signature(Method method) {
    return method.getName()
        + Stream.of(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(", ", "(", ")"));
  }

  @Test
  void allOfThemExist() {
    Set<String> expected =
        BODIES.entrySet().stream()
            .flatMap(
                way ->
                    Stream.of("String", "Collection")
                        .flatMap(
                            keys ->
                                Stream.of("", ", Duration", ", LockOptions")
                                    .map(how -> way.getKey() + "(" + keys + how))
                        .flatMap(
                            start ->
                                way.getValue().isEmpty()
                                    ? Stream.of(start + ")")
                                    : way.getValue().stream()
                                        .map(body -> start + ", " + body.getSimpleName() + ")")))
            .collect(Collectors.toSet());

    assertThat(forms().map(FormsTest::signature)).containsExactlyInAnyOrderElementsOf(expected);
  }

  @ParameterizedTest
  @MethodSource("forms")
  void eachLocksWhatItIsGiven(Method form) throws ReflectiveOperationException {
    Object[] arguments = Stream.of(form.getParameterTypes()).map(ARGUMENTS::get).toArray();
    List<Class<?>> types = List.of(form.getParameterTypes());

    Object value = Flux.from((Publisher<?>) form.invoke(locker, arguments)).blockFirst(TTL);

    assertThat(asked.keySet())
        .isEqualTo(types.contains(String.class) ? Set.of("a") : Set.of("a", "b"));
    assertThat(asked.values())
        .containsOnly(
            types.contains(Duration.class)
                ? TTL
                : types.contains(LockOptions.class) ? OPTIONS.ttl() : DEFAULT);
    if (value instanceof Lock lock) {
      assertThat(lock.isValid()).isTrue();
    } else {
      assertThat(value).isEqualTo("body");
    }
  }

  @ParameterizedTest
  @MethodSource("forms")
  void nullIsRefusedAtTheCallForEachArgument(Method form) {
    for (int i = 0; i < form.getParameterCount(); i++) {
      Object[] arguments = Stream.of(form.getParameterTypes()).map(ARGUMENTS::get).toArray();
      arguments[i] = null;

      assertThatThrownBy(() -> form.invoke(locker, arguments))
          .as("argument %d of %s", i, form)
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(nameOf(form.getParameterTypes()[i]));
    }
    assertThat(asked).isEmpty();
  }

  private static String nameOf(Class<?> type) {
    if (type == String.class || type == Collection.class) {
      return "key";
    }
    return type == Duration.class ? "ttl" : type == LockOptions.class ? "options" : "body";
  }
}
