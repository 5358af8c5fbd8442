// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM with the class path of the test, that reads and prints lines, and can be frozen as a
 * long pause of its garbage collector would, or killed. It ends at the latest with this JVM.
 *
 * <pre>{@code
 * try (ClientJvm jvm = ClientJvm.start(Holder.class, server.uri())) {
 *   assertThat(jvm.readLine()).isEqualTo("acquired");
 *   jvm.pause();
 *   // what do other clients see now?
 *   jvm.resume();
 *   jvm.send("release");
 * }
 * }</pre>
 *
 * <p>What it writes to its standard error appears in that of this JVM. The standard output is read
 * all the time, so that it never waits for the test.
 */
public final class ClientJvm implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final ChildProcess process;
  private final Writer input;
  // an empty element marks the end of the output
  private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

  private ClientJvm(ChildProcess process) {
    this.process = process;
    this.input = process.input();
  }

  /**
   * Starts a JVM; returns at once.
   *
   * @param main the class whose {@code main} method it runs; it and the method must be public
   * @param arguments the arguments of that method
   * @return the JVM
   */
  public static ClientJvm start(Class<?> main, String... arguments) {
    return start(List.of(), main, arguments);
  }

  /**
   * Starts a JVM with options; returns at once.
   *
   * @param options options of the JVM, such as {@code -Dkey=value}
   * @param main the class whose {@code main} method it runs; it and the method must be public
   * @param arguments the arguments of that method
   * @return the JVM
   */
  public static ClientJvm start(List<String> options, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // starts quickly and leaves processors to others
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    command.addAll(options);
    command.addAll(List.of("-cp", ClassPath.ofThisProgram(), main.getName()));
    command.addAll(List.of(arguments));
    ClientJvm jvm =
        new ClientJvm(
            ChildProcess.start(new ProcessBuilder(command).redirectError(Redirect.INHERIT)));
    Thread reader = new Thread(jvm::readAll, "monolock-client-jvm");
    reader.setDaemon(true);
    reader.start();
    return jvm;
  }

  /**
   * The id of the process.
   *
   * @return the id
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Whether the process is there, paused or not.
   *
   * @return false once it has ended
   */
  public boolean isRunning() {
    return process.isAlive();
  }

  /**
   * Sends a line to its standard input.
   *
   * @param line the line, without its end
   * @throws UncheckedIOException if it has ended
   */
  public synchronized void send(String line) {
    try {
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Takes the next line that it has printed, and waits for it 30 seconds at most.
   *
   * @return the line, without its end
   * @throws IllegalStateException if it has ended, or prints nothing in that time
   */
  public String readLine() {
    return readLine(TIMEOUT);
  }

  /**
   * Takes the next line that it has printed, and waits for it.
   *
   * @param timeout how long to wait at most; zero for not at all
   * @return the line, without its end
   * @throws IllegalStateException if it has ended, or prints nothing in that time
   */
  public String readLine(Duration timeout) {
    Optional<String> line = poll(timeout);
    if (line.isEmpty()) {
      lines.add(line);
      throw new IllegalStateException("The JVM must print a line, but has ended");
    }
    return line.get();
  }

  /**
   * Freezes it, as {@code SIGSTOP} does, until {@link #resume()}.
   *
   * @throws IllegalStateException if it has ended
   */
  public synchronized void pause() {
    process.pause();
  }

  /** Lets it go on. Does nothing if it is not paused. */
  public synchronized void resume() {
    process.resume();
  }

  /** Ends it at once, as {@code kill -9} does. Does nothing if it has ended. */
  public synchronized void kill() {
    process.kill();
  }

  /**
   * Asks it to end, as {@code SIGTERM} does, so that its shutdown hooks run; does not wait.
   *
   * @see #awaitEnd()
   */
  public synchronized void terminate() {
    process.resume();
    process.terminate();
  }

  /**
   * Waits until it has ended, 30 seconds at most.
   *
   * @return its exit value
   * @throws IllegalStateException if it does not end in that time
   */
  public int awaitEnd() {
    if (!process.endsWithin(TIMEOUT)) {
      throw new IllegalStateException("The JVM must end within " + TIMEOUT + ", did not");
    }
    return process.exitValue();
  }

  /** Ends it at once, paused or not. */
  @Override
  public void close() {
    kill();
  }

  private Optional<String> poll(Duration timeout) {
    try {
      Optional<String> line = lines.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
      if (line != null) {
        return line;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("The JVM must print a line within " + timeout + ", did not");
  }

  private void readAll() {
    try (BufferedReader output = process.output()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(Optional.of(line));
      }
    } catch (IOException e) {
      // it has been killed
    }
    lines.add(Optional.empty());
  }
}
