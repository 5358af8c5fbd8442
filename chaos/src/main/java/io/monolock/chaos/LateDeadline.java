// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.Lock;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * Wrong on purpose: a handle that counts its lease from the answer, and leaves no room for drift.
 */
final class LateDeadline implements Lock {

  private final Lock lock;
  private final long deadline;
  private volatile boolean released;

  /** The answer has come just now. */
  LateDeadline(Lock lock, Duration ttl) {
    this.lock = lock;
    this.deadline = System.nanoTime() + ttl.toNanos();
  }

  @Override
  public Duration remaining() {
    long left = released ? 0 : deadline - System.nanoTime();
    return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
  }

  @Override
  public boolean isValid() {
    return !remaining().isZero();
  }

  @Override
  public Mono<Boolean> release() {
    return Mono.defer(
        () -> {
          released = true;
          return lock.release();
        });
  }

  @Override
  public Set<String> keys() {
    return lock.keys();
  }

  @Override
  public String token() {
    return lock.token();
  }

  @Override
  public String metadata() {
    return lock.metadata();
  }

  @Override
  public OptionalLong fencingToken() {
    return lock.fencingToken();
  }

  @Override
  public Mono<Duration> ttl() {
    return lock.ttl();
  }

  @Override
  public Mono<Void> extend(Duration ttl) {
    return lock.extend(ttl);
  }

  @Override
  public <T> Mono<T> keepAlive() {
    return lock.keepAlive();
  }
}
