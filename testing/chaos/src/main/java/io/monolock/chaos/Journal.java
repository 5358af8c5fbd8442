// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** Writes events to the standard output without blocking the threads that add them. */
final class Journal {

  private static final long INTERVAL = 20_000_000;
  private static final String END = "end";

  private final Queue<String> lines = new ConcurrentLinkedQueue<>();
  private final Writer output =
      new BufferedWriter(
          new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), StandardCharsets.UTF_8));

  /** Begins to write, in a thread of its own. */
  static Journal open() {
    Journal journal = new Journal();
    Thread writer = new Thread(journal::writeAll, "chaos-journal");
    writer.setDaemon(true);
    writer.start();
    return journal;
  }

  /** Whether a line is the last one of a journal. */
  static boolean isEnd(String line) {
    return line.equals(END);
  }

  void add(CallEvent event) {
    lines.add(event.line());
  }

  /** Writes the last line. */
  void end() {
    lines.add(END);
  }

  private void writeAll() {
    try {
      while (true) {
        for (String line = lines.poll(); line != null; line = lines.poll()) {
          output.write(line + "\n");
        }
        output.flush();
        LockSupport.parkNanos(INTERVAL);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
