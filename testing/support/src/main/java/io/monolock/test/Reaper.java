// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ends the processes and deletes the folders of this JVM when it is gone.
 *
 * <p>A JVM that exits does it in a shutdown hook. One that is killed runs no hook, so a shell
 * process reads everything that must not outlive the JVM, line by line, from its standard input.
 * The operating system closes that input however the JVM ends, and then the shell cleans up what is
 * left. It ignores the signals of a terminal, which reach it together with the JVM.
 */
final class Reaper {

  private static final String SCRIPT =
      """
      trap '' HUP INT QUIT TERM
      newline='
      '
      left=$newline
      while IFS= read -r line; do
        item=${line#?}
        entry=$newline$item$newline
        case $line in
          +*) left=$left$item$newline ;;
          -*) case $left in
                *"$entry"*) left=${left%%"$entry"*}$newline${left#*"$entry"} ;;
              esac ;;
        esac
      done
      each() {
        printf '%s' "$left" | while IFS= read -r item; do "$1" "$item"; done
      }
      end() {
        case $1 in [0-9]*) kill -9 "$1" ;; esac
      }
      delete() {
        case $1 in /?*) rm -rf "$1" || { sleep 1; rm -rf "$1"; } ;; esac
      }
      each end
      each delete
      """;

  private static final Lazy<Reaper> SHARED = new Lazy<>(Reaper::new);

  private final Writer shell;
  private final Set<ProcessHandle> processes = ConcurrentHashMap.newKeySet();
  private final Set<Path> paths = ConcurrentHashMap.newKeySet();

  private Reaper() {
    try {
      shell =
          new ProcessBuilder("sh", "-c", SCRIPT)
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.DISCARD)
              .start()
              .outputWriter(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("sh does not start", e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::cleanUp, "monolock-reaper"));
  }

  static Reaper shared() {
    return SHARED.get();
  }

  /** Kills the process when this JVM ends, unless it has ended before. */
  void guard(ProcessHandle process) {
    processes.add(process);
    send("+" + process.pid());
    var unused = process.onExit().thenRun(() -> release(process));
  }

  /** Deletes the file or folder when this JVM ends. */
  void guard(Path path) {
    paths.add(path);
    send("+" + path.toAbsolutePath());
  }

  /** The file or folder has been deleted. */
  void release(Path path) {
    paths.remove(path);
    send("-" + path.toAbsolutePath());
  }

  private void release(ProcessHandle process) {
    processes.remove(process);
    send("-" + process.pid());
  }

  private synchronized void send(String line) {
    try {
      shell.write(line + "\n");
      shell.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("The process that cleans up after this JVM is gone", e);
    }
  }

  private void cleanUp() {
    processes.forEach(ProcessHandle::destroyForcibly);
    processes.forEach(process -> process.onExit().join());
    for (Path path : paths) {
      try {
        Folders.delete(path);
      } catch (UncheckedIOException e) {
        // a running thread has written a file meanwhile; the shell deletes it
      }
    }
  }
}
