// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

/** A channel for commands to a client. */
interface ClientChannel extends AutoCloseable {

  /** Waits until the client is ready. */
  void awaitReady();

  /** Sends a command, and waits for the answer. */
  String send(String command);

  @Override
  void close();
}
