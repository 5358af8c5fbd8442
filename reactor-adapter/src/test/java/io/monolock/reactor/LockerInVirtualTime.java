// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.ReactiveLocker;
import io.monolock.store.InVirtualTime;

/** A locker in virtual time over a store whose calls are recorded. */
final class LockerInVirtualTime extends InVirtualTime {

  final TestStore store = new TestStore(memory);
  final ReactiveLocker locker = builder(store).build();
}
