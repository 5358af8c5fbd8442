// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.client.ClientSession;
import io.monolock.benchmarks.contender.Contenders;

/** A client in this process, which is there sooner, and shares it with the others. */
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
  public String ask(String order) {
    return session.obey(order);
  }

  @Override
  public void close() {
    session.close();
  }
}
