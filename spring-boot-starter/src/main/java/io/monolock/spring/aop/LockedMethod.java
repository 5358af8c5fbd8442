// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import io.monolock.LockOptions;
import io.monolock.spring.Locked;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A method that is {@link Locked}, and what its annotation says, parsed and checked. */
final class LockedMethod {

  private final String name;
  private final boolean givesMany;
  private final String locker;
  private final KeyExpressions keys;
  private final LockSettings settings;

  private LockedMethod(
      String name, boolean givesMany, String locker, KeyExpressions keys, LockSettings settings) {
    this.name = name;
    this.givesMany = givesMany;
    this.locker = locker;
    this.keys = keys;
    this.settings = settings;
  }

  /** Whether it gives a Flux, or else a Mono. */
  boolean givesMany() {
    return givesMany;
  }

  /** The name of the locker's bean, empty for the only one. */
  String locker() {
    return locker;
  }

  /** What the keys are for one call; fails with an IllegalArgumentException that says why. */
  Collection<String> keys(@Nullable Object target, @Nullable Object[] arguments) {
    return keys.evaluate(target, arguments);
  }

  LockOptions options(LockOptions defaults) {
    return settings.applyTo(defaults);
  }

  @Override
  public String toString() {
    return name;
  }

  /** Reads methods in one application. */
  record Reader(BeanFactory beans, PropertyResolver placeholders) {

    LockedMethod read(Method method, Class<?> type, MergedAnnotation<Locked> locked) {
      String name = nameOf(method, type);
      checkModifiers(method, name);
      try {
        return new LockedMethod(
            name,
            givesMany(method, name),
            placeholders.resolveRequiredPlaceholders(locked.getString("locker")),
            KeyExpressions.parse(
                name,
                Arrays.stream(locked.getStringArray("keys"))
                    .map(placeholders::resolveRequiredPlaceholders)
                    .toList(),
                method,
                beans),
            LockSettings.parse(locked, placeholders));
      } catch (IllegalArgumentException e) {
        throw new IllegalStateException(name + ": " + e.getMessage(), e);
      }
    }

    private static String nameOf(Method method, Class<?> type) {
      return "@Locked on "
          + type.getName()
          + "."
          + method.getName()
          + Arrays.stream(method.getParameterTypes())
              .map(Class::getSimpleName)
              .collect(Collectors.joining(", ", "(", ")"));
    }

    private static void checkModifiers(Method method, String name) {
      int modifiers = method.getModifiers();
      if (Modifier.isPrivate(modifiers)
          || Modifier.isFinal(modifiers)
          || Modifier.isStatic(modifiers)) {
        throw new IllegalStateException(
            name
                + " has no effect, as the method is private, final or static, which Spring cannot"
                + " override: make it an open method of the bean (in Kotlin: `open`, or the compiler"
                + " plugin `spring`)");
      }
    }

    private static boolean givesMany(Method method, String name) {
      Class<?> result = new MethodParameter(method, -1).getParameterType();
      if (result.getName().equals("kotlinx.coroutines.flow.Flow")) {
        throw new IllegalStateException(
            name
                + " returns a Flow, which the annotation cannot lock: remove it, and use"
                + " Flow.withLock of monolock-kotlin-coroutines-adapter in the method");
      }
      if (KotlinDetector.isSuspendingFunction(method)) {
        checkCoroutines(method, name);
        return false;
      }
      if (result != Mono.class && result != Flux.class) {
        throw new IllegalStateException(
            name
                + " returns "
                + method.getReturnType().getName()
                + ", so there is no subscription that the lock could span: return a Mono or a Flux,"
                + " or make it a suspend function");
      }
      return result == Flux.class;
    }

    /** Without them Spring calls suspend functions as if they were others. */
    private static void checkCoroutines(Method method, String name) {
      ClassLoader loader = method.getDeclaringClass().getClassLoader();
      if (!ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", loader)
          || !ClassUtils.isPresent("kotlin.reflect.full.KClasses", loader)) {
        throw new IllegalStateException(
            name
                + " is a suspend function, which Spring can only intercept with"
                + " kotlinx-coroutines-reactor and kotlin-reflect: add both to the application");
      }
    }
  }
}
