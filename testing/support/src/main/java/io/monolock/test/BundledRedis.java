// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The servers that come as Maven artifacts, each for some platforms. */
enum BundledRedis {
  V7_0("7.0", "7.0.15", "7.0.15", "7.0.15"),
  V6_2("6.2", "6.2.6-v5", "6.2.7", "6.2.6-v5");

  static final BundledRedis DEFAULT = V7_0;

  private final String version;
  private final String forLinuxOnAmd64;
  private final String forLinuxOnArm64;
  private final String forDarwin;

  BundledRedis(String version, String forLinuxOnAmd64, String forLinuxOnArm64, String forDarwin) {
    this.version = version;
    this.forLinuxOnAmd64 = forLinuxOnAmd64;
    this.forLinuxOnArm64 = forLinuxOnArm64;
    this.forDarwin = forDarwin;
  }

  /** The server of a version such as {@code 6.2}. */
  static BundledRedis of(String version) {
    return Arrays.stream(values())
        .filter(each -> each.version.equals(version))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "version must be one of %s, was %s".formatted(versions(), version)));
  }

  private static String versions() {
    return Arrays.stream(values()).map(each -> each.version).collect(Collectors.joining(", "));
  }

  /** The name of the binary on the class path, empty if none fits the platform. */
  Optional<String> resource(String os, String arch) {
    String system = os.toLowerCase(Locale.ROOT);
    String kernel = system.startsWith("mac") ? "darwin" : system;
    String processor =
        switch (arch.toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64" -> "amd64";
          case "arm64", "aarch64" -> "arm64";
          default -> arch;
        };
    String platform = kernel + "-" + processor;
    return switch (platform) {
      case "linux-amd64" -> file(forLinuxOnAmd64, platform);
      case "linux-arm64" -> file(forLinuxOnArm64, platform);
      case "darwin-amd64", "darwin-arm64" -> file(forDarwin, platform);
      default -> Optional.empty();
    };
  }

  private static Optional<String> file(String build, String platform) {
    return Optional.of("/redis-server-" + build + "-" + platform);
  }

  /** Copies a binary to where it can be started; deleted when this JVM ends. */
  static Path extract(String resource) throws IOException {
    try (@Nullable InputStream bytes = BundledRedis.class.getResourceAsStream(resource)) {
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

  @Override
  public String toString() {
    return "Redis " + version;
  }
}
