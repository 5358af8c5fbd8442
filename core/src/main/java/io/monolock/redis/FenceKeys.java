// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.LockKeys;
import java.util.List;

/** Where the fencing numbers of lock keys are kept. */
final class FenceKeys {

  static final String SUFFIX = ":fence";

  private FenceKeys() {}

  /** The lock keys, followed by a fence key for each of them. */
  static String[] withFences(LockKeys keys) {
    List<String> locks = keys.asList();
    String[] all = locks.toArray(new String[2 * locks.size()]);
    for (int i = 0; i < locks.size(); i++) {
      all[locks.size() + i] = locks.get(i) + SUFFIX;
    }
    return all;
  }
}
