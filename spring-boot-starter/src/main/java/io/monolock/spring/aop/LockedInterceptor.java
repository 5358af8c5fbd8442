// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import io.monolock.LockNotAcquiredException;
import io.monolock.ReactiveLocker;
import io.monolock.reactor.LockOperators;
import io.monolock.spring.SkipObserver;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.beans.factory.ObjectProvider;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Gives the caller a publisher that takes the lock when it is subscribed, and calls the method
 * under it: once for each subscription. A future is subscribed at once.
 *
 * <p>Suspend functions need nothing of their own: Spring makes a Mono of what lies behind an
 * interceptor, and suspends the caller until the Mono that the interceptor gives has ended.
 */
final class LockedInterceptor implements MethodInterceptor {

  private static final Logger LOG = LoggerFactory.getLogger(LockedInterceptor.class);

  private final LockedMethods methods;
  private final Lockers lockers;
  private final ObjectProvider<SkipObserver> skipObservers;

  LockedInterceptor(
      LockedMethods methods, Lockers lockers, ObjectProvider<SkipObserver> skipObservers) {
    this.methods = methods;
    this.lockers = lockers;
    this.skipObservers = skipObservers;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    LockedMethod method =
        methods.of(
            invocation.getMethod(),
            target != null ? target.getClass() : invocation.getMethod().getDeclaringClass());
    if (method == null) {
      return invocation.proceed();
    }
    return switch (method.result()) {
      case FLUX -> many(method, invocation);
      case MONO, SUSPENDED -> one(method, invocation);
      case FUTURE -> one(method, invocation).toFuture();
    };
  }

  private Mono<Object> one(LockedMethod method, MethodInvocation invocation) {
    return Mono.defer(
        () -> {
          LockedCall call = new LockedCall(method, invocation);
          Mono<Object> work = Mono.defer(() -> Mono.from(call.proceed()));
          return Mono.from(call.lock(lockers.of(method)).apply(work))
              .onErrorResume(call::isSkipped, busy -> skip(method, busy));
        });
  }

  private Flux<Object> many(LockedMethod method, MethodInvocation invocation) {
    return Flux.defer(
        () -> {
          LockedCall call = new LockedCall(method, invocation);
          Flux<Object> work = Flux.defer(call::proceed);
          return Flux.from(call.lock(lockers.of(method)).apply(work))
              .onErrorResume(call::isSkipped, busy -> skip(method, busy));
        });
  }

  private Mono<Object> skip(LockedMethod method, Throwable busy) {
    LOG.debug("{} is skipped: {}", method, busy.getMessage());
    try {
      skipObservers.forEach(observer -> observer.skipped(method.method()));
    } catch (RuntimeException e) {
      LOG.warn("an observer of skipped calls failed", e);
    }
    return Mono.empty();
  }

  /** One subscription. Spring lets an invocation proceed once, hence the clone. */
  private static final class LockedCall {

    private final LockedMethod method;
    private final MethodInvocation invocation;

    /** From then on, an error is that of the method: it may want a lock itself. */
    private volatile boolean begun;

    LockedCall(LockedMethod method, MethodInvocation invocation) {
      this.method = method;
      this.invocation = invocation;
    }

    boolean isSkipped(Throwable error) {
      return method.mayBeSkipped() && !begun && error instanceof LockNotAcquiredException;
    }

    UnaryOperator<Publisher<Object>> lock(ReactiveLocker locker) {
      return LockOperators.locked(
          locker,
          method.keys(invocation.getThis(), invocation.getArguments()),
          method.options(locker.defaults()));
    }

    Publisher<Object> proceed() {
      begun = true;
      MethodInvocation once =
          invocation instanceof ProxyMethodInvocation ofProxy
              ? ofProxy.invocableClone()
              : invocation;
      try {
        Publisher<Object> result = method.result().asPublisher(once.proceed());
        return result == null
            ? Mono.error(
                new IllegalStateException(method + ": the method must not return null, but did"))
            : result;
      } catch (Error e) {
        throw e;
      } catch (Throwable e) {
        return Mono.error(e);
      }
    }
  }
}
