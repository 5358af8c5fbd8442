// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.monolock.store.DelegatingLockStore;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import reactor.core.publisher.Mono;

/** A store whose calls meet the fate that a test wants. */
final class FatefulStore extends DelegatingLockStore {

  /** What becomes of a call. */
  interface Fate {
    <T> Mono<T> of(Mono<T> call);
  }

  volatile Fate ofAcquire = works();
  volatile Fate ofExtend = works();
  volatile Fate ofRelease = works();

  FatefulStore(LockStore store) {
    super(store);
  }

  static Fate works() {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call;
      }
    };
  }

  /** Fails and is not executed. */
  static Fate fails(StoreProblem.Reason reason, boolean isTransient) {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.error(() -> new StoreFailure(reason, isTransient, reason + " by test", null));
      }
    };
  }

  /** Is executed, and answers when the gate completes. */
  static Fate answersAfter(Mono<?> gate) {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call.delayUntil(any -> gate);
      }
    };
  }

  /** Is neither executed nor answered. */
  static Fate swallowed() {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.never();
      }
    };
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return Mono.defer(() -> ofAcquire.of(super.acquire(keys, token, metadata, ttl, fenced)));
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return Mono.defer(() -> ofExtend.of(super.extend(keys, token, ttl)));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return Mono.defer(() -> ofRelease.of(super.release(keys, token, keepFor)));
  }
}
