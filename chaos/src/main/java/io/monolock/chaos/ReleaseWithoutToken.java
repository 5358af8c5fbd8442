// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.store.DelegatingLockStore;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Wrong on purpose: a store that deletes the keys on release whoever holds them. */
final class ReleaseWithoutToken extends DelegatingLockStore {

  ReleaseWithoutToken(LockStore store) {
    super(store);
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return Flux.fromIterable(keys.asList()).concatMap(store::forceRelease).then(Mono.just(true));
  }
}
