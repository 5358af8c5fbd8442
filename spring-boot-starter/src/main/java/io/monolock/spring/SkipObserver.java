// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import java.lang.reflect.Method;

/**
 * Notified of the calls that {@link Locked.OnBusy#SKIP} has skipped. All beans of this type are;
 * one counts them in the meters of the application, if it has any.
 */
@FunctionalInterface
public interface SkipObserver {

  /**
   * Called once for each method whose calls may be skipped, when the application starts.
   *
   * @param method the annotated method
   */
  default void maySkip(Method method) {}

  /**
   * Called when a call was skipped, before its caller is told; must be quick, and must not block.
   *
   * @param method the annotated method
   */
  void skipped(Method method);
}
