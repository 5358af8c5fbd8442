// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.lettuce.core.RedisException;
import java.time.Duration;

/** A script that keeps a {@link RedisServer} busy until it is ended. */
public final class BusyScript implements AutoCloseable {

  static final Duration ENDLESS = Duration.ofDays(1);

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  // the old name, which servers of all versions accept
  private static final String THRESHOLD = "lua-time-limit";
  // reads the clock rarely, as each read is a command that MONITOR shows
  private static final String SCRIPT =
      """
      local function now()
        local time = redis.call('TIME')
        return time[1] * 1000 + time[2] / 1000
      end
      local stop = now() + ARGV[1]
      repeat
        for i = 1, 1000000 do end
      until now() >= stop
      """;

  private final RedisServer server;
  private final PlainConnection connection;

  private BusyScript(RedisServer server, PlainConnection connection) {
    this.server = server;
    this.connection = connection;
  }

  static BusyScript start(RedisServer server, Duration time) {
    server.configure(THRESHOLD, "1");
    BusyScript script = new BusyScript(server, PlainConnection.to(server));
    script.connection.send("EVAL", SCRIPT, "0", "" + time.toMillis());
    script.awaitBusy(true);
    return script;
  }

  /**
   * Ends the script if it still runs, and waits until Redis answers again. Does nothing if it has
   * ended, or the server has.
   */
  public void end() {
    if (server.isRunning()) {
      kill();
      awaitBusy(false);
      server.restoreSetting(THRESHOLD);
    }
    connection.close();
  }

  /** Ends the script. */
  @Override
  public void close() {
    end();
  }

  private void kill() {
    try {
      server.command("SCRIPT", "KILL");
    } catch (RedisException e) {
      if (!hasPrefix(e, "NOTBUSY")) {
        throw e;
      }
    }
  }

  private void awaitBusy(boolean busy) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (isBusy() != busy) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(
            "Redis must be " + (busy ? "busy" : "free") + " within " + TIMEOUT + ", was not");
      }
    }
  }

  private boolean isBusy() {
    try {
      server.command("PING");
      return false;
    } catch (RedisException e) {
      if (hasPrefix(e, "BUSY")) {
        return true;
      }
      throw e;
    }
  }

  private static boolean hasPrefix(RedisException error, String prefix) {
    return error.getMessage() != null && error.getMessage().startsWith(prefix);
  }
}
