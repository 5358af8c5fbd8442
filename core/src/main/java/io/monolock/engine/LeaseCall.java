// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.LockKeys;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/** A call for the token of a lease: stands in its {@link Ledger} from its making to its end. */
abstract class LeaseCall<T> extends StoreCall<T> {

  enum Kind {
    ACQUIRE,
    EXTEND,
    RELEASE
  }

  final Lease lease;
  final Kind kind;
  final LockKeys keys;

  /** The next one in the ledger; guarded by the lease. */
  @Nullable LeaseCall<?> next;

  /** Whether no earlier call holds it up; guarded by the lease. */
  boolean isLetGo;

  LeaseCall(Lease lease, Kind kind, LockKeys keys, Context context) {
    super(lease.locker, context);
    this.lease = lease;
    this.kind = kind;
    this.keys = keys;
  }

  /** No earlier call holds it up any more. */
  void go() {
    send();
  }

  @Override
  final void over(boolean inDoubt) {
    lease.over(this, inDoubt);
  }
}
