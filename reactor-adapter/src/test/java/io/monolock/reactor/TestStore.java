// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.store.DelegatingLockStore;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Mono;

/** Records the calls of a locker, and fails them while there is trouble. */
final class TestStore extends DelegatingLockStore {

  final List<String> calls = new CopyOnWriteArrayList<>();
  volatile StoreFailure trouble;

  TestStore(LockStore store) {
    super(store);
  }

  private <T> Mono<T> call(String name, LockKeys keys, Mono<T> call) {
    return Mono.defer(
        () -> {
          calls.add(name + " " + keys.asSet());
          return trouble == null ? call : Mono.error(trouble);
        });
  }

  List<String> calls(String name) {
    return calls.stream().filter(call -> call.startsWith(name)).toList();
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return call("acquire", keys, super.acquire(keys, token, metadata, ttl, fenced));
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return call("extend", keys, super.extend(keys, token, ttl));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return call("release", keys, super.release(keys, token, keepFor));
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return call("remaining", keys, super.remaining(keys, token));
  }
}
