// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.Lock;
import io.monolock.simulation.Instance;
import io.monolock.store.LockKeys;

/** A lock in a caller's hand. */
public final class Handle {

  final Lock lock;
  final Call call;
  final LockKeys keys;
  final String token;
  final TokenFacts facts;

  /** The token was given by its user, who may use it elsewhere, too. */
  final boolean isShared;

  final long deliveredAt;
  final long grantedAt;
  boolean released;
  long releaseAskedAt;

  /** When it was first seen to be invalid, 0 before. */
  long invalidSince;

  /** One that was just delivered. */
  Handle(Lock lock, Call call, TokenFacts facts) {
    this.lock = lock;
    this.call = call;
    this.keys = LockKeys.of(lock.keys());
    this.token = lock.token();
    this.facts = facts;
    this.deliveredAt = call.instance.process().world().now();
    this.grantedAt = facts.grantedAt;
    this.isShared = call.options.token().isPresent() || call.kind == Call.Kind.ATTACH;
  }

  /** The lock. */
  public Lock lock() {
    return lock;
  }

  /** Where it was acquired. */
  public Instance instance() {
    return call.instance;
  }

  /** From when on a server that forgets its keys forgets this lock. */
  long since() {
    return Math.min(call.askedAt, grantedAt);
  }

  boolean isValid() {
    return !call.instance.process().isDead() && lock.isValid();
  }

  /** Whether a call that knows nothing of this handle may have freed its keys. */
  boolean wasReleasedElsewhere() {
    return (isShared && facts.releasedLate)
        || facts.releasedIn.stream().anyMatch(in -> !in.equals(call.instance))
        || facts.freedBy.stream().anyMatch(by -> by != call.instance.process())
        || facts.handles.stream().anyMatch(other -> other.isBeingClosedBeside(this));
  }

  private boolean isBeingClosedBeside(Handle other) {
    return call.instance.isClosing() && !call.instance.equals(other.call.instance);
  }

  @Override
  public String toString() {
    return token.substring(0, 4) + " on " + keys + " in " + call.instance;
  }
}
