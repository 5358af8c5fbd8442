// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import io.monolock.LockOptions;
import io.monolock.spring.Locked;
import io.monolock.spring.Locked.OnBusy;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.PropertyResolver;

/**
 * A method that is {@link Locked}, and what its annotation says, parsed and checked.
 *
 * @param name for messages
 * @param mayBeSkipped whether a call does nothing while another holder has a key
 * @param locker the name of the locker's bean, empty for the only one
 */
record LockedMethod(
    String name,
    Method method,
    ResultType result,
    boolean mayBeSkipped,
    String locker,
    KeyExpressions keys,
    LockSettings settings) {

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
      checkClass(type, name);
      try {
        boolean mayBeSkipped = locked.getEnum("onBusy", OnBusy.class) == OnBusy.SKIP;
        return new LockedMethod(
            name,
            method,
            ResultType.of(method, mayBeSkipped),
            mayBeSkipped,
            placeholders.resolveRequiredPlaceholders(locked.getString("locker")),
            KeyExpressions.parse(
                name,
                placeholders.resolveRequiredPlaceholders(locked.getString("key")),
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

    /** Spring itself would say that CGLIB failed. */
    private void checkClass(Class<?> type, String name) {
      boolean canBeExtended =
          !Modifier.isFinal(type.getModifiers())
              && !type.isSealed()
              && Arrays.stream(type.getDeclaredConstructors())
                  .anyMatch(any -> !Modifier.isPrivate(any.getModifiers()));
      if (!canBeExtended && (type.getInterfaces().length == 0 || classesAreExtended())) {
        throw new IllegalStateException(
            name
                + " has no effect, as its class is final or sealed, or has only private"
                + " constructors, so that Spring cannot extend it: make it an open class, or let"
                + " it implement an interface and set spring.aop.proxy-target-class=false");
      }
    }

    private boolean classesAreExtended() {
      String proxies = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
      return beans.containsBean(proxies)
          && beans.getBean(proxies) instanceof ProxyConfig proxy
          && proxy.isProxyTargetClass();
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
  }
}
