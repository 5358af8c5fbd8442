// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;

/** The keys of a lock and the token of its holder; logs show the keys only. */
record KeysAndToken(LockKeys keys, String token) {

  @Override
  public String toString() {
    return keys.toString();
  }
}
