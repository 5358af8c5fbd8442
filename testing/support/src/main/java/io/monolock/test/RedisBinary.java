// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An executable Redis or Valkey server and its major version. */
record RedisBinary(Path path, int majorVersion) {

  static final String VARIABLE = "MONOLOCK_REDIS_SERVER";
  static final String PROPERTY = "monolock.redis";

  private static final Pattern VERSION = Pattern.compile("\\bserver v=(\\d+)\\.");

  private static final String OS = System.getProperty("os.name");
  private static final String ARCH = System.getProperty("os.arch");

  private static final Lazy<RedisBinary> SHARED =
      new Lazy<>(() -> find(System.getProperty(PROPERTY), System.getenv(), OS, ARCH));

  private static final Map<BundledRedis, Lazy<RedisBinary>> OF_VERSION =
      Arrays.stream(BundledRedis.values())
          .collect(
              Collectors.toUnmodifiableMap(
                  Function.identity(), redis -> new Lazy<>(() -> bundled(redis, OS, ARCH))));

  /** The binary of all servers for which no version was chosen; found once. */
  static RedisBinary shared() {
    return SHARED.get();
  }

  /** The bundled binary of a version; found once. */
  static RedisBinary ofVersion(String version) {
    return Objects.requireNonNull(OF_VERSION.get(BundledRedis.of(version))).get();
  }

  /**
   * The bundled binary of the version, else the binary that the environment names, else the default
   * one that fits the platform.
   */
  static RedisBinary find(
      @Nullable String version, Map<String, String> environment, String os, String arch) {
    if (version != null && !version.isBlank()) {
      return bundled(BundledRedis.of(version), os, arch);
    }
    String named = environment.get(VARIABLE);
    return named == null || named.isBlank()
        ? bundled(BundledRedis.DEFAULT, os, arch)
        : named(named);
  }

  private static RedisBinary named(String name) {
    Path path = Path.of(name);
    if (!Files.isRegularFile(path) || !Files.isExecutable(path)) {
      throw new IllegalStateException(
          VARIABLE + " must be the path of an executable file, was " + name);
    }
    try {
      return new RedisBinary(path.toAbsolutePath(), majorVersion(path.toAbsolutePath()));
    } catch (IOException e) {
      throw new IllegalStateException(
          VARIABLE + " must be the path of a redis-server or valkey-server, was " + name, e);
    }
  }

  private static RedisBinary bundled(BundledRedis redis, String os, String arch) {
    String resource =
        redis
            .resource(os, arch)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        ("No bundled %s fits this platform (%s, %s): set %s to the path of"
                                + " a redis-server or valkey-server")
                            .formatted(redis, os, arch, VARIABLE)));
    try {
      Path path = BundledRedis.extract(resource);
      return new RedisBinary(path, majorVersion(path));
    } catch (IOException e) {
      throw new UncheckedIOException("The bundled " + resource + " does not start", e);
    }
  }

  private static int majorVersion(Path path) throws IOException {
    Process process =
        new ProcessBuilder(path.toString(), "--version").redirectErrorStream(true).start();
    process.getOutputStream().close();
    if (!exits(process)) {
      throw new IOException(path + " --version does not end");
    }
    String answer =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    Matcher version = VERSION.matcher(answer);
    if (!version.find()) {
      throw new IOException(path + " --version says no version of a server: " + answer);
    }
    return Integer.parseInt(version.group(1));
  }

  private static boolean exits(Process process) {
    boolean exited = false;
    try {
      exited = process.waitFor(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!exited) {
      process.destroyForcibly();
    }
    return exited;
  }
}
