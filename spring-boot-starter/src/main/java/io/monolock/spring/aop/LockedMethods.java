// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import io.monolock.spring.Locked;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The methods that are {@link Locked}, read once for each class: all of a class together, so that a
 * mistake in any of them fails the start.
 */
final class LockedMethods {

  private static final Logger LOG = LoggerFactory.getLogger(LockedMethods.class);

  private final Map<Class<?>, Map<Method, LockedMethod>> byClass = new ConcurrentHashMap<>();
  private final LockedMethod.Reader reader;

  LockedMethods(LockedMethod.Reader reader) {
    this.reader = reader;
  }

  boolean areIn(Class<?> type) {
    return !in(type).isEmpty();
  }

  /**
   * @param method as it was called, perhaps that of an interface
   * @param targetClass the class of the object it was called on
   */
  @Nullable LockedMethod of(Method method, Class<?> targetClass) {
    Map<Method, LockedMethod> all = in(targetClass);
    return all.isEmpty()
        ? null
        : all.get(AopUtils.getMostSpecificMethod(method, ClassUtils.getUserClass(targetClass)));
  }

  void forEach(Consumer<LockedMethod> action) {
    byClass.values().forEach(methods -> methods.values().forEach(action));
  }

  private Map<Method, LockedMethod> in(Class<?> type) {
    Class<?> userClass = ClassUtils.getUserClass(type);
    Map<Method, LockedMethod> known = byClass.get(userClass);
    return known != null ? known : byClass.computeIfAbsent(userClass, this::read);
  }

  private Map<Method, LockedMethod> read(Class<?> type) {
    Map<Method, LockedMethod> methods = new LinkedHashMap<>();
    annotationsIn(type)
        .forEach((method, locked) -> methods.put(method, reader.read(method, type, locked)));
    return Map.copyOf(methods);
  }

  private static Map<Method, MergedAnnotation<Locked>> annotationsIn(Class<?> type) {
    if (!AnnotationUtils.isCandidateClass(type, Locked.class)) {
      return Map.of();
    }
    try {
      return MethodIntrospector.selectMethods(type, (Method method) -> annotationOf(method));
    } catch (IllegalStateException | LinkageError e) {
      // classes that its methods name are missing, so its methods cannot be called either
      LOG.debug("the methods of {} cannot be read", type, e);
      return Map.of();
    }
  }

  private static @Nullable MergedAnnotation<Locked> annotationOf(Method method) {
    MergedAnnotation<Locked> found =
        MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(Locked.class);
    return found.isPresent() ? found : null;
  }
}
