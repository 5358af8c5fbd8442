// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.report.Sample;
import java.util.List;

/** Callers that wait for a key which somebody in another process never gives back. */
final class WaitingCallers implements Workload {

  private final IdleSubscriptions crowd = new IdleSubscriptions();
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
      crowd.add(contender.caller(List.of(key), number).take());
    }
  }

  @Override
  public void begin() {
    crowd.begin();
  }

  @Override
  public void end() {
    crowd.end();
  }

  @Override
  public Sample sample() {
    return crowd.sample();
  }

  @Override
  public void stop() {
    crowd.dismiss();
  }
}
