// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An executable Redis or Valkey server and its major version. */
record RedisBinary(Path path, int majorVersion) {

  static final String VARIABLE = "MONOLOCK_REDIS_SERVER";

  private static final Set<String> BUNDLED =
      Set.of("linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64");
  private static final String RESOURCE = "/redis-server-7.0.15-";
  private static final Pattern VERSION = Pattern.compile("\\bserver v=(\\d+)\\.");

  private static final Lazy<RedisBinary> SHARED =
      new Lazy<>(
          () ->
              find(System.getenv(), System.getProperty("os.name"), System.getProperty("os.arch")));

  /** The binary that all servers of this JVM run; found once. */
  static RedisBinary shared() {
    return SHARED.get();
  }

  /** The binary that the environment names, else the bundled one that fits the platform. */
  static RedisBinary find(Map<String, String> environment, String os, String arch) {
    String named = environment.get(VARIABLE);
    return named == null || named.isBlank() ? bundled(os, arch) : named(named);
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

  private static RedisBinary bundled(String os, String arch) {
    String resource =
        resource(os, arch)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        ("No bundled Redis fits this platform (%s, %s): set %s to the path of"
                                + " a redis-server or valkey-server")
                            .formatted(os, arch, VARIABLE)));
    try {
      Path path = extract(resource);
      return new RedisBinary(path, majorVersion(path));
    } catch (IOException e) {
      throw new UncheckedIOException("The bundled " + resource + " does not start", e);
    }
  }

  /** The name of the bundled binary, empty if none fits the platform. */
  static Optional<String> resource(String os, String arch) {
    String system = os.toLowerCase(Locale.ROOT);
    String kernel = system.startsWith("mac") ? "darwin" : system;
    String processor =
        switch (arch.toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64" -> "amd64";
          case "arm64", "aarch64" -> "arm64";
          default -> arch;
        };
    return Optional.of(kernel + "-" + processor).filter(BUNDLED::contains).map(RESOURCE::concat);
  }

  private static Path extract(String resource) throws IOException {
    try (@Nullable InputStream bytes = RedisBinary.class.getResourceAsStream(resource)) {
      if (bytes == null) {
        throw new IOException("The class path has no resource " + resource);
      }
      Path folder = Files.createTempDirectory("monolock-redis-binary-");
      Reaper.shared().guard(folder);
      Path path = folder.resolve("redis-server");
      Files.copy(bytes, path);
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
      return path;
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
