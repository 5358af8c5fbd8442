// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.report.Sample;

/** A workload of subscriptions that stay open until it is stopped. */
abstract class IdleWorkload implements Workload {

  final IdleSubscriptions subscriptions = new IdleSubscriptions();

  @Override
  public final void begin() {
    subscriptions.begin();
  }

  @Override
  public final void end() {
    subscriptions.end();
  }

  @Override
  public Sample sample() {
    return subscriptions.sample();
  }

  @Override
  public final void stop() {
    subscriptions.cancel();
  }
}
