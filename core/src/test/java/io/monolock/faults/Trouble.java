// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import io.monolock.LockLostException.Reason;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Trouble between a locker and its Redis, which lasts until it is ended.
 *
 * @param reason why a lock is lost that it keeps from being refreshed
 * @param begin begins it; what it gives ends it
 */
record Trouble(String name, Reason reason, Function<LockerBehindProxy, AutoCloseable> begin) {

  AutoCloseable beginFor(LockerBehindProxy test) {
    return begin.apply(test);
  }

  @Override
  public String toString() {
    return name;
  }

  /** That in which no lease is prolonged. */
  static Stream<Trouble> all() {
    return Stream.of(
        new Trouble(
            "a server that stands still",
            Reason.UNREACHABLE,
            test -> {
              test.server.pause();
              return test.server::resume;
            }),
        new Trouble("a busy server", Reason.REFUSED, test -> test.server.keepBusy()),
        new Trouble(
            "a server without its replicas",
            Reason.REFUSED,
            test -> {
              test.server.configure("min-replicas-to-write", "1");
              return test.server::restoreSettings;
            }),
        new Trouble(
            "a server that has become a replica",
            Reason.REFUSED,
            test -> {
              test.server.command("REPLICAOF", "127.0.0.1", "1");
              return () -> test.server.command("REPLICAOF", "NO", "ONE");
            }),
        new Trouble(
            "a connection that is cut",
            Reason.UNREACHABLE,
            test -> {
              test.proxy.refuse();
              test.proxy.cut();
              return test.proxy::accept;
            }),
        new Trouble(
            "answers that are lost",
            Reason.UNREACHABLE,
            test -> {
              test.proxy.dropReplies(true);
              return () -> test.proxy.dropReplies(false);
            }),
        new Trouble(
            "a network that swallows everything",
            Reason.UNREACHABLE,
            test -> {
              test.proxy.blackHole(true);
              return () -> test.proxy.blackHole(false);
            }));
  }
}
