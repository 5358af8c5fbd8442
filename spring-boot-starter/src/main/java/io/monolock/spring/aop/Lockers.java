// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import io.monolock.ReactiveLocker;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

/** The lockers of the application, looked for when they are needed. */
record Lockers(BeanFactory beans) {

  ReactiveLocker of(LockedMethod method) {
    String name = method.locker();
    try {
      return name.isEmpty()
          ? beans.getBean(ReactiveLocker.class)
          : beans.getBean(name, ReactiveLocker.class);
    } catch (NoUniqueBeanDefinitionException e) {
      throw new IllegalStateException(
          method
              + " does not say which ReactiveLocker it means, of "
              + e.getBeanNamesFound()
              + ": name one with locker = \"...\", or mark one bean as @Primary, or the others as"
              + " @Bean(defaultCandidate = false)",
          e);
    } catch (BeansException e) {
      throw new IllegalStateException(
          method
              + " needs a ReactiveLocker bean"
              + (name.isEmpty() ? ", but there is none" : " named " + name),
          e);
    }
  }
}
