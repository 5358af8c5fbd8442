// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** What the expression for a key can name besides the parameters, read by reflection. */
final class KeyRoot {

  private final Method method;
  private final @Nullable Object[] args;
  private final @Nullable Object target;

  KeyRoot(Method method, @Nullable Object[] args, @Nullable Object target) {
    this.method = method;
    this.args = args;
    this.target = target;
  }

  public Method getMethod() {
    return method;
  }

  public String getMethodName() {
    return method.getName();
  }

  public @Nullable Object[] getArgs() {
    return args;
  }

  public @Nullable Object getTarget() {
    return target;
  }

  public @Nullable Class<?> getTargetClass() {
    return target == null ? null : target.getClass();
  }
}
