// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.client.ClientSession;
import io.monolock.benchmarks.contender.Contenders;

/** A client in this process, which starts faster and shares the process with others. */
final class LocalChannel implements ClientChannel {

  private final ClientSession session;

  LocalChannel(Contenders contender, String uri) {
    session = new ClientSession(contender, uri);
  }

  @Override
  public void awaitReady() {
    // opened in the constructor
  }

  @Override
  public String send(String command) {
    return session.execute(command);
  }

  @Override
  public void close() {
    session.close();
  }
}
