// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a server has used so far.
 *
 * @param nanos when it was asked
 * @param cpuSeconds of all its threads
 * @param commands {@code total_commands_processed}
 * @param scripts called by clients
 */
public record ServerMeter(long nanos, double cpuSeconds, double commands, double scripts) {

  private static final Pattern LINE = Pattern.compile("(?m)^([a-z_]+):([^\r\n]*)");
  private static final Pattern CALLS = Pattern.compile("calls=(\\d+)");

  /**
   * Reads the meter.
   *
   * @param info the server's answer to {@code INFO all}
   * @return what it says
   */
  public static ServerMeter of(String info) {
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

  /**
   * The resources used since an earlier time, without the command that reads them.
   *
   * @param before what was used before
   * @return the difference
   */
  public ServerMeter since(ServerMeter before) {
    return new ServerMeter(
        nanos - before.nanos,
        cpuSeconds - before.cpuSeconds,
        commands - before.commands - 1,
        scripts - before.scripts);
  }

  /**
   * Adds these values to a sample of clients in that time.
   *
   * @param sample the sample
   * @return the sample
   */
  public Sample addTo(Sample sample) {
    double operations = sample.get(Metric.OPERATIONS);
    double seconds = nanos / 1e9;
    sample
        .with(Metric.SERVER_CORES, cpuSeconds / seconds)
        .with(Metric.COMMAND_RATE, commands / seconds);
    if (operations > 0) {
      sample
          .with(Metric.SERVER_CPU, cpuSeconds * 1e6 / operations)
          .with(Metric.COMMANDS, commands / operations)
          .with(Metric.SCRIPTS, scripts / operations);
    }
    return sample;
  }

  private static double calls(String statistics) {
    Matcher calls = CALLS.matcher(statistics);
    return calls.find() ? Double.parseDouble(calls.group(1)) : 0;
  }
}
