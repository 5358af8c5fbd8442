// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Contender;
import java.util.List;

/** Callers that wait for a lock which another process never releases. */
final class WaitingCallers extends IdleWorkload {

  private final Contender contender;
  private final int waiters;
  private final String key;

  WaitingCallers(Contender contender, int waiters, String key) {
    this.contender = contender;
    this.waiters = waiters;
    this.key = key;
  }

  @Override
  public void start() {
    for (int number = 1; number <= waiters; number++) {
      subscriptions.add(contender.caller(List.of(key), number).acquire());
    }
  }
}
