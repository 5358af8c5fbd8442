// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that say how big the show is. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ShowOptions {

  @Option(
      names = "--seats",
      paramLabel = "N",
      defaultValue = "500",
      description = "How many seats are for sale; default ${DEFAULT-VALUE}.")
  private int seats;

  @Option(
      names = "--instances",
      paramLabel = "N",
      defaultValue = "4",
      description = "How many service instances sell them; default ${DEFAULT-VALUE}.")
  private int instances;

  @Option(
      names = "--buyers",
      paramLabel = "N",
      defaultValue = "32",
      description = "How many buyers come to each instance; default ${DEFAULT-VALUE}.")
  private int buyers;

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      defaultValue = "2s",
      description = "How long the lock lives without a refresh; default ${DEFAULT-VALUE}.")
  private Duration ttl;

  @Option(
      names = "--hold",
      paramLabel = "TIME",
      defaultValue = "1ms",
      description = "How long a sale takes from its read to its write; default ${DEFAULT-VALUE}.")
  private Duration hold;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  SalePlan plan() {
    try {
      return new SalePlan(seats, instances, buyers, ttl, hold);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), "Wrong option: " + e.getMessage(), e);
    }
  }
}
