// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.LockKeys;
import java.util.List;
import java.util.function.UnaryOperator;

/** The keys in which the fencing numbers of lock keys are kept. */
final class FenceKeys {

  static final String SUFFIX = ":fence";

  private FenceKeys() {}

  /** The lock keys, followed by the fence key of each of them. */
  static String[] withFences(LockKeys keys, UnaryOperator<String> fence) {
    List<String> locks = keys.asList();
    String[] all = locks.toArray(new String[2 * locks.size()]);
    for (int i = 0; i < locks.size(); i++) {
      all[locks.size() + i] = fence.apply(locks.get(i));
    }
    return all;
  }
}
