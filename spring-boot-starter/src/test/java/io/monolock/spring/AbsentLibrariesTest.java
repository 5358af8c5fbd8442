// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The starter starts, and locks, with and without each library that it can do something for. */
@ExtendWith(RedisExtension.class)
class AbsentLibrariesTest {

  private static final String KOTLIN = "kotlin.Unit";
  private static final String ACTUATOR =
      "org.springframework.boot.actuate.endpoint.annotation.Endpoint";
  private static final String HEALTH =
      "org.springframework.boot.health.contributor.ReactiveHealthIndicator";
  private static final String METRICS = "io.micrometer.core.instrument.MeterRegistry";
  private static final String WEBFLUX = "org.springframework.web.reactive.DispatcherHandler";
  private static final String SPRING_DATA =
      "org.springframework.data.redis.connection.RedisConnectionFactory";

  @TempDir Path folder;

  /**
   * Each row leaves out the jars whose names contain its pattern, and names the class that is
   * missed then. The last one leaves what an application with nothing but the starter has.
   */
  @Timeout(300)
  @ParameterizedTest
  @CsvSource({
    "nothing-at-all, ",
    "kotlin|micrometer-(core|metrics)|jackson|reactor-(netty|test)|blockhound|spring-(web|tx|data|test|oxm)"
        + "|spring-boot-(?!\\d|autoconfigure|starter-\\d|starter-logging), all"
  })
  void theStarterStartsAndLocksWithout(String jars, String missed, RedisServer server)
      throws Exception {
    List<String> all = List.of(KOTLIN, ACTUATOR, HEALTH, METRICS, WEBFLUX, SPRING_DATA);

    String output = run(jars, server, all);

    assertThat(output).contains("worked under a lock", "ended well");
    for (String type : all) {
      if ("all".equals(missed) || type.equals(missed)) {
        assertThat(output).contains(type + " false");
      } else if (missed == null) {
        assertThat(output).contains(type + " true");
      }
    }
  }

  @Tag("thorough")
  @Timeout(300)
  @ParameterizedTest
  @CsvSource({
    "kotlin, " + KOTLIN,
    "actuator, " + ACTUATOR,
    "spring-boot-health, " + HEALTH,
    "micrometer-(core|metrics)|micrometer-metrics|actuator, " + METRICS,
    "spring-(webflux|boot-webflux), " + WEBFLUX,
    "spring-(boot-)?data, " + SPRING_DATA
  })
  void theStarterStartsAndLocksWithoutOne(String jars, String missed, RedisServer server)
      throws Exception {
    theStarterStartsAndLocksWithout(jars, missed, server);
  }

  private String run(String withoutJars, RedisServer server, List<String> classes)
      throws IOException, InterruptedException {
    Pattern without = Pattern.compile(withoutJars);
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !without.matcher(Path.of(entry).getFileName().toString()).find())
            .collect(Collectors.joining(File.pathSeparator));
    Path output = folder.resolve("output");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    List<String> command =
        new ArrayList<>(
            List.of(
                java.toString(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath));
    command.add(StarterAlone.class.getName());
    command.add(server.uri());
    command.addAll(classes);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output, StandardCharsets.UTF_8);
  }
}
