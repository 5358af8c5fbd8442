// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a method that can be locked gives to its caller. */
enum ResultType {
  MONO,
  FLUX,
  /** The call itself takes the lock, as nothing else tells that the result is wanted. */
  FUTURE,
  /** The method is a suspend function, which Spring calls as if it gave a Mono. */
  SUSPENDED;

  /**
   * Fails with an IllegalArgumentException when the method cannot be locked.
   *
   * @param mayBeSkipped whether the method has to give something without being called
   */
  static ResultType of(Method method, boolean mayBeSkipped) {
    MethodParameter result = new MethodParameter(method, -1);
    Class<?> type = result.getParameterType();
    if (type.getName().equals("kotlinx.coroutines.flow.Flow")) {
      throw new IllegalArgumentException(
          "it returns a Flow, which the annotation cannot lock: remove it, and use Flow.withLock of"
              + " monolock-kotlin-coroutines-adapter in the method");
    }
    if (KotlinDetector.isSuspendingFunction(method)) {
      checkCoroutines(method);
      checkBoxed(type);
      checkNullable(result, mayBeSkipped);
      return SUSPENDED;
    }
    if (type == Mono.class) {
      return MONO;
    }
    if (type == Flux.class) {
      return FLUX;
    }
    if (type == CompletableFuture.class || type == CompletionStage.class) {
      return FUTURE;
    }
    throw new IllegalArgumentException(
        "it returns "
            + method.getReturnType().getName()
            + ", so nothing tells when its work ends, which the lock could span without blocking a"
            + " thread: return a Mono, a Flux or a CompletableFuture, or make it a suspend function;"
            + " work that blocks goes into Mono.fromCallable(() -> ...)"
            + ".subscribeOn(Schedulers.boundedElastic())");
  }

  /**
   * What the call gave. That of a suspend function is a value, or null, if other advice answered it
   * without calling the function, as caches do.
   *
   * @return null if it gave null, though it must not
   */
  @SuppressWarnings("unchecked")
  @Nullable Publisher<Object> asPublisher(@Nullable Object given) {
    if (given instanceof Publisher<?> publisher) {
      return (Publisher<Object>) publisher;
    }
    if (this == SUSPENDED) {
      return Mono.justOrEmpty(given);
    }
    return given instanceof CompletionStage<?> stage
        ? Mono.fromCompletionStage((CompletionStage<Object>) stage)
        : null;
  }

  /** Without them Spring calls suspend functions as if they were others. */
  private static void checkCoroutines(Method method) {
    ClassLoader loader = method.getDeclaringClass().getClassLoader();
    if (!ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", loader)
        || !ClassUtils.isPresent("kotlin.reflect.full.KClasses", loader)) {
      throw new IllegalArgumentException(
          "it is a suspend function, which Spring can only intercept with"
              + " kotlinx-coroutines-reactor and kotlin-reflect: add both to the application");
    }
  }

  /** Callers expect what is in a value class, but what Spring gives them is the class, or both. */
  private static void checkBoxed(Class<?> type) {
    boolean isValueClass =
        Arrays.stream(type.getAnnotations())
            .anyMatch(any -> any.annotationType().getName().equals("kotlin.jvm.JvmInline"));
    if (isValueClass) {
      throw new IllegalArgumentException(
          "its result is a "
              + type.getSimpleName()
              + ", a value class, which Spring does not hand on as Kotlin expects it: return what"
              + " is in it, or another class");
    }
  }

  /** Spring shows {@code Unit}, of which callers use no value, as void. */
  private static void checkNullable(MethodParameter result, boolean mayBeSkipped) {
    if (mayBeSkipped && result.getParameterType() != void.class && !result.isOptional()) {
      throw new IllegalArgumentException(
          "it may be skipped, and then gives null, but its result is a "
              + result.getParameterType().getSimpleName()
              + " that is never null: make that nullable (`?`), or leave onBusy out");
    }
  }
}
