// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** What one server has on disk: a folder with its configuration, data and log. */
final class ServerFiles {

  private final Path folder;
  private final Path configuration;
  private final Path data;
  private Path log;

  private ServerFiles(Path folder) throws IOException {
    this.folder = folder;
    this.configuration = folder.resolve("redis.conf");
    this.data = Files.createDirectory(folder.resolve("data"));
    this.log = folder.resolve("redis.log");
  }

  static ServerFiles create() {
    try {
      Path folder = Files.createTempDirectory("monolock-redis-");
      Reaper.shared().guard(folder);
      return new ServerFiles(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path configuration() {
    return configuration;
  }

  Path data() {
    return data;
  }

  Path log() {
    return log;
  }

  void configure(List<String> lines) {
    try {
      Files.write(configuration, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isConfigured() {
    return Files.exists(configuration);
  }

  /** The text of the log; empty once it is deleted. */
  String readLog() {
    try {
      return Files.exists(log) ? new String(Files.readAllBytes(log), StandardCharsets.UTF_8) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Moves the log out of the folder to where it outlives the server; it can still grow. */
  void keepLog() {
    if (!log.startsWith(folder) || Files.notExists(log)) {
      return;
    }
    try {
      Path kept = Files.createTempFile(folder.getFileName() + "-", ".log");
      log = Files.move(log, kept, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes the snapshot that a server would load at its next start. */
  void deleteSnapshot() {
    Folders.delete(data.resolve("dump.rdb"));
  }

  void deleteData() {
    Folders.delete(data);
    try {
      Files.createDirectory(data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete() {
    Folders.delete(folder);
    Reaper.shared().release(folder);
  }
}
