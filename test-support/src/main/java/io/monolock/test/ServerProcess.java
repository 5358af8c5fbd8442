// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One run of a server's program: a process that ends at the latest with this JVM. */
final class ServerProcess {

  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final Process process;
  private boolean paused;

  private ServerProcess(Process process) {
    this.process = process;
  }

  /** Runs the command in the folder and appends what it prints to the log. */
  static ServerProcess start(List<String> command, Path folder, Path log) {
    Reaper reaper = Reaper.shared();
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(Redirect.appendTo(log.toFile()))
              .start();
      reaper.guard(process.toHandle());
      return new ServerProcess(process);
    } catch (IOException e) {
      throw new UncheckedIOException(command.get(0) + " does not start", e);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  boolean isPaused() {
    return paused && isAlive();
  }

  /** Asks the process to end in an orderly way; kills it if it does not. */
  void stop() {
    resume();
    process.destroy();
    if (!endsWithin(PATIENCE)) {
      kill();
    }
  }

  /** Ends the process at once, also a paused one. */
  void kill() {
    process.destroyForcibly();
    if (!endsWithin(PATIENCE)) {
      throw new IllegalStateException("Process " + pid() + " does not end");
    }
  }

  void pause() {
    signal("STOP");
    paused = true;
  }

  void resume() {
    if (isPaused()) {
      signal("CONT");
    }
    paused = false;
  }

  /** Waits for the end of the process; false if it still runs after that time. */
  boolean endsWithin(Duration time) {
    return endsWithin(process, time);
  }

  private void signal(String name) {
    try {
      Process shell =
          new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid())
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.DISCARD)
              .start();
      if (!endsWithin(shell, PATIENCE) || shell.exitValue() != 0) {
        throw new IllegalStateException("Process " + pid() + " does not take signal " + name);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("sh does not start", e);
    }
  }

  private static boolean endsWithin(Process process, Duration time) {
    boolean interrupted = false;
    long end = System.nanoTime() + time.toNanos();
    try {
      while (true) {
        try {
          return process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
