// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Wrong on purpose: a store whose release deletes the keys even of another holder; it hands over by
 * a release and an acquisition.
 */
final class ReleaseWithoutToken implements InvocationHandler {

  private final LockStore store;

  private ReleaseWithoutToken(LockStore store) {
    this.store = store;
  }

  static LockStore of(LockStore store) {
    return (LockStore)
        Proxy.newProxyInstance(
            LockStore.class.getClassLoader(),
            new Class<?>[] {LockStore.class},
            new ReleaseWithoutToken(store));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
    return switch (method.getName()) {
      case "release" -> released((LockKeys) args[0]);
      case "transfer" -> InvocationHandler.invokeDefault(proxy, method, args);
      default -> invoke(method, args);
    };
  }

  private Mono<Boolean> released(LockKeys keys) {
    return Flux.fromIterable(keys.asList()).concatMap(store::forceRelease).then(Mono.just(true));
  }

  private Object invoke(Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(store, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
