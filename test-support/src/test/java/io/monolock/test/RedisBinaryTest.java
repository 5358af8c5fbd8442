// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisBinaryTest {

  @TempDir private Path folder;

  @Test
  void theBinaryIsFoundOnce() {
    assertThat(RedisBinary.shared()).isSameAs(RedisBinary.shared());
  }

  @Test
  void theVariableWins() throws IOException {
    Path valkey = script("echo 'Valkey server v=8.1.1 sha=0:0 malloc=libc bits=64'");
    assertThat(RedisBinary.find(named(valkey.toString()), "Plan 9", "mips"))
        .isEqualTo(new RedisBinary(valkey, 8));
  }

  @Test
  void anEmptyVariableCountsAsUnset() {
    assertThatThrownBy(() -> RedisBinary.find(named(" "), "Plan 9", "mips"))
        .hasMessageStartingWith("No bundled Redis fits");
  }

  @Test
  void aPlatformWithoutABinaryIsToldWhatToDo() {
    assertThatThrownBy(() -> RedisBinary.find(Map.of(), "Windows 11", "amd64"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "No bundled Redis fits this platform (Windows 11, amd64): set MONOLOCK_REDIS_SERVER"
                + " to the path of a redis-server or valkey-server");
  }

  @Test
  void aPathWithoutAFileIsRefused() {
    assertThatThrownBy(() -> RedisBinary.find(named("/no/such/server"), "Linux", "amd64"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "MONOLOCK_REDIS_SERVER must be the path of an executable file, was /no/such/server");
  }

  @Test
  void aFolderIsRefused() {
    assertThatThrownBy(() -> RedisBinary.find(named(folder.toString()), "Linux", "amd64"))
        .hasMessageContaining("must be the path of an executable file");
  }

  @Test
  void aProgramThatIsNoServerIsRefused() throws IOException {
    Path other = script("echo hello");
    assertThatThrownBy(() -> RedisBinary.find(named(other.toString()), "Linux", "amd64"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "MONOLOCK_REDIS_SERVER must be the path of a redis-server or valkey-server, was "
                + other)
        .hasRootCauseMessage(other + " --version says no version of a server: hello");
  }

  @ParameterizedTest
  @CsvSource({
    "Linux, amd64, linux-amd64",
    "Linux, aarch64, linux-arm64",
    "Mac OS X, x86_64, darwin-amd64",
    "Mac OS X, aarch64, darwin-arm64",
  })
  void supportedPlatformsHaveABinary(String os, String arch, String platform) {
    assertThat(RedisBinary.resource(os, arch))
        .contains("/redis-server-7.0.15-" + platform)
        .get()
        .satisfies(name -> assertThat(RedisBinary.class.getResource(name)).isNotNull());
  }

  private static Map<String, String> named(String path) {
    return Map.of("MONOLOCK_REDIS_SERVER", path);
  }

  private Path script(String line) throws IOException {
    Path script = Files.writeString(folder.resolve("server"), "#!/bin/sh\n" + line + "\n");
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }
}
