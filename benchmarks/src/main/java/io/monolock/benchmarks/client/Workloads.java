// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Contender;
import java.nio.file.Path;
import java.util.List;

/** All workloads. A new one is a class that implements {@link Workload}, and a line. */
public enum Workloads {
  /** How many in flight, how many keys each. */
  FREE_KEYS((contender, words) -> new FreeKeys(contender, number(words, 0), number(words, 1))),
  /** How many waiters, the file of all processes, how long each holds the lock in microseconds. */
  HOT_KEY(
      (contender, words) ->
          new HotKey(
              contender, number(words, 0), Path.of(words.get(1)), 1_000L * number(words, 2))),
  /** The file of both processes. */
  PING_PONG((contender, words) -> new PingPong(contender, Path.of(words.get(0)))),
  /** No words: one in flight, with pauses as in {@link #PING_PONG}. */
  PACED((contender, words) -> new PacedCaller(contender)),
  /** How many waiters, the key. */
  WAIT((contender, words) -> new WaitingCallers(contender, number(words, 0), words.get(1))),
  /** How many locks, what their keys begin with. */
  KEEP((contender, words) -> new KeptLocks(contender, number(words, 0), words.get(1)));

  private interface Factory {
    Workload create(Contender contender, List<String> words);
  }

  private final Factory factory;

  Workloads(Factory factory) {
    this.factory = factory;
  }

  Workload create(Contender contender, List<String> words) {
    return factory.create(contender, words);
  }

  private static int number(List<String> words, int index) {
    return Integer.parseInt(words.get(index));
  }
}
