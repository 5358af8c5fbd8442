// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import io.monolock.ReactiveLocker;
import io.monolock.spring.SkipObserver;
import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;

/** Where a lock is put around methods, and in which order with other advice. */
final class LockedAdvisor implements PointcutAdvisor, Ordered, SmartInitializingSingleton {

  /** Outside of transactions, which by default have the lowest precedence of all. */
  private static final int ORDER = LOWEST_PRECEDENCE - 1_000;

  private final LockedMethods methods;
  private final Lockers lockers;
  private final ObjectProvider<SkipObserver> skipObservers;
  private final LockedInterceptor interceptor;
  private final Pointcut pointcut;

  LockedAdvisor(
      LockedMethods methods, Lockers lockers, ObjectProvider<SkipObserver> skipObservers) {
    this.methods = methods;
    this.lockers = lockers;
    this.skipObservers = skipObservers;
    this.interceptor = new LockedInterceptor(methods, lockers, skipObservers);
    this.pointcut = new LockedPointcut(methods);
  }

  @Override
  public Pointcut getPointcut() {
    return pointcut;
  }

  @Override
  public Advice getAdvice() {
    return interceptor;
  }

  @Override
  public int getOrder() {
    return ORDER;
  }

  /** A locker that does not exist fails the start, not the first call. */
  @Override
  public void afterSingletonsInstantiated() {
    methods.forEach(
        locked -> {
          ReactiveLocker unused = lockers.of(locked);
          if (locked.mayBeSkipped()) {
            skipObservers.forEach(observer -> observer.maySkip(locked.method()));
          }
        });
  }

  private static final class LockedPointcut extends StaticMethodMatcherPointcut {

    private final LockedMethods methods;

    LockedPointcut(LockedMethods methods) {
      this.methods = methods;
      setClassFilter(new HasLockedMethods(methods));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
      return methods.of(method, targetClass) != null;
    }
  }

  private record HasLockedMethods(LockedMethods methods) implements ClassFilter {
    @Override
    public boolean matches(Class<?> type) {
      return methods.areIn(type);
    }
  }
}
