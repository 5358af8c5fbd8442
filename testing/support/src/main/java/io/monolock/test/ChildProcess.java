// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process that is killed at the latest when this JVM ends. */
final class ChildProcess {

  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  private final Process process;
  private boolean paused;

  private ChildProcess(Process process) {
    this.process = process;
  }

  /** Runs the command in the folder and appends what it prints to the log. */
  static ChildProcess start(List<String> command, Path folder, Path log) {
    return start(
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(Redirect.appendTo(log.toFile())));
  }

  static ChildProcess start(ProcessBuilder builder) {
    Reaper reaper = Reaper.shared();
    try {
      Process process = builder.start();
      reaper.guard(process.toHandle());
      return new ChildProcess(process);
    } catch (IOException e) {
      throw new UncheckedIOException(builder.command().get(0) + " does not start", e);
    }
  }

  /** What the process reads. */
  Writer input() {
    return process.outputWriter(StandardCharsets.UTF_8);
  }

  /** What the process prints. */
  BufferedReader output() {
    return process.inputReader(StandardCharsets.UTF_8);
  }

  /** The exit status of the process; fails while it runs. */
  int exitValue() {
    return process.exitValue();
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
    if (!endsWithin(TIMEOUT)) {
      kill();
    }
  }

  /** Asks the process to end in an orderly way; what it still prints can be read. */
  void terminate() {
    process.toHandle().destroy();
  }

  /** Ends the process at once, also a paused one. */
  void kill() {
    process.toHandle().destroyForcibly();
    if (!endsWithin(TIMEOUT)) {
      throw new IllegalStateException("Process " + pid() + " does not end");
    }
  }

  void pause() {
    signal("STOP");
    paused = true;
    Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
    if (Files.isDirectory(threads)) {
      new StatePoller("The process", TIMEOUT).until("stopped", () -> running(threads));
    }
  }

  /** The threads that go on for a moment after the signal was sent. */
  private static List<String> running(Path threads) {
    try (Stream<Path> all = Files.list(threads)) {
      return all.filter(thread -> !isStopped(thread)).map(thread -> thread + " runs").toList();
    } catch (IOException e) {
      return List.of(); // it has ended
    }
  }

  private static boolean isStopped(Path thread) {
    try {
      String status = Files.readString(thread.resolve("stat"));
      return "TtZX".indexOf(status.charAt(status.lastIndexOf(')') + 2)) >= 0;
    } catch (IOException e) {
      return true; // it has ended
    }
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
      if (!endsWithin(shell, TIMEOUT) || shell.exitValue() != 0) {
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
