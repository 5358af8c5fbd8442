// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Records the commands that a server has executed, from when it is started until it is closed or
 * the server ends.
 *
 * <p>It reads {@code MONITOR} on a connection of its own. A query first waits until everything is
 * recorded that the server executed before it, so that a test may also rely on what is missing; if
 * the server does not answer, the query returns what was recorded so far. Left out are the commands
 * of {@link RedisServer#command(String...)}, commands that Redis hides, such as {@code AUTH}, and
 * commands that it refuses before it executes them, as it does while it is {@code LOADING}.
 */
public final class CommandRecorder implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final String MARK = "monolock-mark-";
  private static final AtomicLong MARKS = new AtomicLong();

  /**
   * A moment in a recording.
   *
   * @param index how many commands were recorded before
   */
  public record Mark(int index) {}

  private final RedisServer server;
  private final PlainConnection connection;
  private final List<RecordedCommand> recorded = new ArrayList<>();
  private final Set<String> seenMarks = new HashSet<>();
  private final Set<String> ownConnections = new HashSet<>();
  private boolean isEnded;

  private CommandRecorder(RedisServer server) {
    this.server = server;
    this.connection = PlainConnection.to(server);
  }

  /**
   * Starts to record.
   *
   * @param server a running server
   * @return the recorder
   */
  public static CommandRecorder of(RedisServer server) {
    CommandRecorder recorder = new CommandRecorder(server);
    recorder.connection.send("MONITOR");
    String reply = recorder.connection.readLine();
    if (!"+OK".equals(reply)) {
      recorder.close();
      throw new IllegalStateException("MONITOR must be answered with +OK, was " + reply);
    }
    Thread reader = new Thread(recorder::read, "monolock-command-recorder");
    reader.setDaemon(true);
    reader.start();
    return recorder;
  }

  /**
   * All that was executed so far.
   *
   * @return the commands in the order of their execution
   */
  public List<RecordedCommand> commands() {
    return since(new Mark(0));
  }

  /**
   * All of one name that was executed so far.
   *
   * @param name the name of the command in any case, such as {@code evalsha}
   * @return the commands in the order of their execution
   */
  public List<RecordedCommand> commands(String name) {
    return since(new Mark(0), name);
  }

  /**
   * Marks this moment.
   *
   * @return a mark behind all that was executed so far
   */
  public Mark mark() {
    awaitAll();
    synchronized (recorded) {
      return new Mark(recorded.size());
    }
  }

  /**
   * All that was executed after a moment.
   *
   * @param mark the moment
   * @return the commands in the order of their execution
   */
  public List<RecordedCommand> since(Mark mark) {
    awaitAll();
    synchronized (recorded) {
      return othersSince(mark).toList();
    }
  }

  /**
   * All of one name that was executed after a moment.
   *
   * @param mark the moment
   * @param name the name of the command in any case, such as {@code evalsha}
   * @return the commands in the order of their execution
   */
  public List<RecordedCommand> since(Mark mark, String name) {
    String lowerCase = name.toLowerCase(Locale.ROOT);
    return since(mark).stream().filter(command -> command.name().equals(lowerCase)).toList();
  }

  /** Ends the recording; what was recorded can still be read. */
  @Override
  public void close() {
    connection.close();
  }

  private Stream<RecordedCommand> othersSince(Mark mark) {
    return recorded.subList(mark.index(), recorded.size()).stream()
        .filter(command -> !ownConnections.contains(command.connection()));
  }

  private void read() {
    for (String line = connection.readLine(); line != null; line = connection.readLine()) {
      record(RecordedCommand.parse(line));
    }
    synchronized (recorded) {
      isEnded = true;
      recorded.notifyAll();
    }
  }

  private void record(RecordedCommand command) {
    synchronized (recorded) {
      if (isMark(command)) {
        ownConnections.add(command.connection());
        seenMarks.add(command.words().get(1));
        recorded.notifyAll();
      } else {
        recorded.add(command);
      }
    }
  }

  private static boolean isMark(RecordedCommand command) {
    return command.name().equals("echo") && command.words().get(1).startsWith(MARK);
  }

  /** Waits until a command that is executed now has been recorded. */
  private void awaitAll() {
    String mark = MARK + MARKS.incrementAndGet();
    synchronized (recorded) {
      if (isEnded) {
        return;
      }
    }
    try {
      server.command("ECHO", mark);
    } catch (RedisException e) {
      return;
    }
    awaitMark(mark);
  }

  private void awaitMark(String mark) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    synchronized (recorded) {
      while (!isEnded && !seenMarks.remove(mark)) {
        long millis = Duration.ofNanos(end - System.nanoTime()).toMillis();
        if (millis <= 0) {
          throw new IllegalStateException("MONITOR must show all within " + TIMEOUT);
        }
        try {
          recorded.wait(millis);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("Interrupted while commands are recorded", e);
        }
      }
    }
  }
}
