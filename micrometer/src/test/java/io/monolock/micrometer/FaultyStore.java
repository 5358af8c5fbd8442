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

/** A store whose calls fail, are late or are lost as a test says. */
final class FaultyStore extends DelegatingLockStore {

  /** What becomes of a call. */
  interface Handling {
    <T> Mono<T> apply(Mono<T> call);
  }

  volatile Handling onAcquire = works();
  volatile Handling onExtend = works();
  volatile Handling onRelease = works();

  FaultyStore(LockStore store) {
    super(store);
  }

  static Handling works() {
    return new Handling() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        return call;
      }
    };
  }

  /** Fails and is not executed. */
  static Handling fails(StoreProblem.Reason reason, boolean isTransient) {
    return new Handling() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        return Mono.error(() -> new StoreFailure(reason, isTransient, reason + " by test", null));
      }
    };
  }

  /** Is executed, and answers when the gate completes. */
  static Handling answersAfter(Mono<?> gate) {
    return new Handling() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        return call.delayUntil(any -> gate);
      }
    };
  }

  /** Is neither executed nor answered. */
  static Handling swallowed() {
    return new Handling() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        return Mono.never();
      }
    };
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return Mono.defer(() -> onAcquire.apply(super.acquire(keys, token, metadata, ttl, fenced)));
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return Mono.defer(() -> onExtend.apply(super.extend(keys, token, ttl)));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return Mono.defer(() -> onRelease.apply(super.release(keys, token, keepFor)));
  }
}
