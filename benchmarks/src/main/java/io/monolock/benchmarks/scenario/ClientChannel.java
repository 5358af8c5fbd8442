// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

/** A way to tell a client what to do. */
interface ClientChannel extends AutoCloseable {

  /** Waits until the client is there. */
  void awaitReady();

  /** Tells it, and waits for the answer. */
  String ask(String order);

  @Override
  void close();
}
