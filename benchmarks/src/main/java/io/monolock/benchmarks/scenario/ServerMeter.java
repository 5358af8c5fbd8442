// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.test.RedisServer;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the server has used so far, as {@code INFO} tells. */
record ServerMeter(long nanos, double cpuSeconds, double commands, double scripts) {

  private static final Pattern LINE = Pattern.compile("(?m)^([a-z_]+):([^\r\n]*)");
  private static final Pattern CALLS = Pattern.compile("calls=(\\d+)");

  static ServerMeter read(RedisServer server) {
    String info = String.valueOf(server.commandAsString("INFO", "all"));
    Map<String, String> fields =
        LINE.matcher(info)
            .results()
            .collect(Collectors.toMap(line -> line.group(1), line -> line.group(2), (a, b) -> b));
    Function<String, Double> number = name -> Double.valueOf(fields.getOrDefault(name, "0"));
    return new ServerMeter(
        System.nanoTime(),
        number.apply("used_cpu_user") + number.apply("used_cpu_sys"),
        number.apply("total_commands_processed"),
        calls(fields.getOrDefault("cmdstat_evalsha", ""))
            + calls(fields.getOrDefault("cmdstat_eval", "")));
  }

  /** What was used between that time and this, without the question about it. */
  ServerMeter since(ServerMeter before) {
    return new ServerMeter(
        nanos - before.nanos,
        cpuSeconds - before.cpuSeconds,
        commands - before.commands - 1,
        scripts - before.scripts);
  }

  private static double calls(String statistics) {
    Matcher calls = CALLS.matcher(statistics);
    return calls.find() ? Double.parseDouble(calls.group(1)) : 0;
  }
}
