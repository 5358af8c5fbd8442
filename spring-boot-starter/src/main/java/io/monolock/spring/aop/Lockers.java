// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import io.monolock.ReactiveLocker;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;

/** The lockers of the application, looked for when they are needed. */
record Lockers(BeanFactory beans) {

  ReactiveLocker of(LockedMethod method) {
    String name = method.locker();
    try {
      return name.isEmpty()
          ? beans.getBean(ReactiveLocker.class)
          : beans.getBean(name, ReactiveLocker.class);
    } catch (BeansException e) {
      throw new IllegalStateException(
          method
              + " needs "
              + (name.isEmpty()
                  ? "one ReactiveLocker bean, or the name of one of several with locker = \"...\""
                  : "a ReactiveLocker bean named " + name),
          e);
    }
  }
}
