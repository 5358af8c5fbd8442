// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
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
    assertThat(RedisBinary.find(null, named(valkey.toString()), "Plan 9", "mips"))
        .isEqualTo(new RedisBinary(valkey, 8));
  }

  @Test
  void anEmptyVariableCountsAsUnset() {
    assertThatThrownBy(() -> RedisBinary.find(null, named(" "), "Plan 9", "mips"))
        .hasMessageStartingWith("No bundled Redis 7.0 fits");
  }

  @Test
  void theErrorOnAPlatformWithoutABinaryNamesTheVariable() {
    assertThatThrownBy(() -> RedisBinary.find(null, Map.of(), "Windows 11", "amd64"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "No bundled Redis 7.0 fits this platform (Windows 11, amd64): set MONOLOCK_REDIS_SERVER"
                + " to the path of a redis-server or valkey-server");
  }

  @Test
  void aPathWithoutAFileIsRefused() {
    assertThatThrownBy(() -> RedisBinary.find(null, named("/no/such/server"), "Linux", "amd64"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "MONOLOCK_REDIS_SERVER must be the path of an executable file, was /no/such/server");
  }

  @Test
  void aFolderIsRefused() {
    assertThatThrownBy(() -> RedisBinary.find(null, named(folder.toString()), "Linux", "amd64"))
        .hasMessageContaining("must be the path of an executable file");
  }

  @Test
  void aProgramThatIsNoServerIsRefused() throws IOException {
    Path other = script("echo hello");
    assertThatThrownBy(() -> RedisBinary.find(null, named(other.toString()), "Linux", "amd64"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "MONOLOCK_REDIS_SERVER must be the path of a redis-server or valkey-server, was "
                + other)
        .hasRootCauseMessage(other + " --version says no version of a server: hello");
  }

  @Test
  void aVersionWinsOverTheVariable() {
    RedisBinary old = RedisBinary.find("6.2", named("/no/such/server"), "Linux", "amd64");
    assertThat(old.majorVersion()).isEqualTo(6);
  }

  @Test
  void anEmptyVersionCountsAsNone() throws IOException {
    Path valkey = script("echo 'Valkey server v=8.1.1 sha=0:0 malloc=libc bits=64'");
    assertThat(RedisBinary.find(" ", named(valkey.toString()), "Linux", "amd64").path())
        .isEqualTo(valkey);
  }

  @Test
  void theBinaryOfAVersionIsFoundOnce() {
    assertThat(RedisBinary.ofVersion("6.2")).isSameAs(RedisBinary.ofVersion("6.2"));
    assertThat(RedisBinary.ofVersion("7.0").majorVersion()).isEqualTo(7);
  }

  @Test
  void aVersionThatDoesNotComeAlongIsRefused() {
    assertThatThrownBy(() -> RedisServer.builder().version("5.0"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("version must be one of 7.0, 6.2, was 5.0");
  }

  @ParameterizedTest
  @CsvSource({
    "7.0, 7.0.",
    "6.2, 6.2.",
  })
  void aServerIsOfTheVersionThatWasChosen(String version, String reported) {
    try (RedisServer server = RedisServer.builder().version(version).start()) {
      assertThat(server.version()).startsWith(reported);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Linux, amd64, 7.0.15-linux-amd64, 6.2.6-v5-linux-amd64",
    "Linux, aarch64, 7.0.15-linux-arm64, 6.2.7-linux-arm64",
    "Mac OS X, x86_64, 7.0.15-darwin-amd64, 6.2.6-v5-darwin-amd64",
    "Mac OS X, aarch64, 7.0.15-darwin-arm64, 6.2.6-v5-darwin-arm64",
  })
  void supportedPlatformsHaveBinaries(String os, String arch, String newer, String older) {
    assertThat(BundledRedis.V7_0.resource(os, arch)).contains("/redis-server-" + newer);
    assertThat(BundledRedis.V6_2.resource(os, arch)).contains("/redis-server-" + older);
    assertThat(List.of(newer, older))
        .allSatisfy(
            file -> assertThat(RedisBinary.class.getResource("/redis-server-" + file)).isNotNull());
  }

  private static Map<String, String> named(String path) {
    return Map.of("MONOLOCK_REDIS_SERVER", path);
  }

  private Path script(String line) throws IOException {
    Path script = Files.writeString(folder.resolve("server"), "#!/bin/sh\n" + line + "\n");
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }
}
