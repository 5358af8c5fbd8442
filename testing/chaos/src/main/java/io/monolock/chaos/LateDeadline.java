// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.Lock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * Wrong on purpose: a handle that counts its lease from the answer, and leaves no room for drift.
 */
final class LateDeadline implements InvocationHandler {

  private final Lock lock;
  private final long deadline;
  private volatile boolean released;

  private LateDeadline(Lock lock, Duration ttl) {
    this.lock = lock;
    this.deadline = System.nanoTime() + ttl.toNanos();
  }

  /** Wraps a handle whose answer has just arrived. */
  static Lock of(Lock lock, Duration ttl) {
    return (Lock)
        Proxy.newProxyInstance(
            Lock.class.getClassLoader(), new Class<?>[] {Lock.class}, new LateDeadline(lock, ttl));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
    return switch (method.getName()) {
      case "remaining" -> remaining();
      case "isValid" -> !remaining().isZero();
      case "release" -> release();
      default -> invoke(method, args);
    };
  }

  private Duration remaining() {
    long left = released ? 0 : deadline - System.nanoTime();
    return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
  }

  private Mono<Boolean> release() {
    return Mono.defer(
        () -> {
          released = true;
          return lock.release();
        });
  }

  private Object invoke(Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(lock, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
