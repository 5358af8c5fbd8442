// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.lettuce.core.RedisException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server on a port of this machine, for one test or for many.
 *
 * <p>It has a folder of its own, keeps its port until it is closed, and ends at the latest with
 * this JVM. By default it stores nothing on disk: a restart finds no data, unless the server is
 * {@linkplain Builder#persistent() persistent}. Its methods block and belong in the threads of
 * tests; several threads may share a server.
 *
 * <pre>{@code
 * try (RedisServer server = RedisServer.start()) {
 *   server.command("SET", "key", "value", "PX", "1000");
 *   server.pause();
 *   // what does a client see now?
 *   server.resume();
 * }
 * }</pre>
 */
public final class RedisServer implements AutoCloseable {

  private final Transport transport;
  private final ServerFiles files;
  private final Launcher launcher;
  private final ControlConnection control;
  private final ServerSettings settings = new ServerSettings(this::command);
  private volatile Launcher.Running running;
  private boolean closed;

  private RedisServer(Builder builder) {
    RedisBinary binary =
        builder.version == null ? RedisBinary.shared() : RedisBinary.ofVersion(builder.version);
    transport = builder.transport;
    files = ServerFiles.create();
    launcher =
        new Launcher(
            binary,
            files,
            List.copyOf(builder.configuration),
            List.copyOf(builder.modes),
            builder.transport);
    try {
      running =
          builder.port == 0 ? launcher.launchOnOneOf(Ports::free) : launcher.launch(builder.port);
    } catch (RuntimeException e) {
      files.delete();
      throw e;
    }
    control = new ControlConnection(host(), port(), transport);
  }

  /**
   * Starts a server with the default settings on a free port and waits until it answers.
   *
   * @return the running server
   * @throws IllegalStateException if no binary fits this platform or the server does not start; the
   *     message holds its log
   */
  public static RedisServer start() {
    return builder().start();
  }

  /**
   * Describes a server with settings of its own.
   *
   * @return a new builder with the default settings
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The address that the server listens on.
   *
   * @return always {@code 127.0.0.1}
   */
  public String host() {
    return Launcher.HOST;
  }

  /**
   * The port that the server listens on; a restart does not change it.
   *
   * @return the port, 1 to 65535
   */
  public int port() {
    return running.port();
  }

  /**
   * The server's address in the form that clients take.
   *
   * @return a URI such as {@code redis://127.0.0.1:12345}, or {@code rediss:} for TLS
   */
  public String uri() {
    return transport.uri(host(), port());
  }

  /**
   * The id of the server's process, another one after each restart.
   *
   * @return the id of the running process, or of the last one
   */
  public long pid() {
    return running.process().pid();
  }

  /**
   * The version of Redis that the server reports, or is compatible with.
   *
   * @return {@code redis_version} of {@code INFO server}, such as {@code 7.0.15}
   */
  public String version() {
    return running.version();
  }

  /**
   * Whether the server's process is alive, paused or not.
   *
   * @return false after {@link #stop()}, {@link #kill()}, {@link #close()} or a crash
   */
  public boolean isRunning() {
    return running.process().isAlive();
  }

  /**
   * Ends the server in an orderly way, as {@code SHUTDOWN} does, and waits for the end. Does
   * nothing if it is not running.
   */
  public synchronized void stop() {
    running.process().stop();
    control.close();
  }

  /**
   * Ends the server at once, as a crash or {@code kill -9} does, and waits for the end. Does
   * nothing if it is not running.
   */
  public synchronized void kill() {
    running.process().kill();
    control.close();
  }

  /**
   * Freezes the server: it keeps its connections, still accepts new ones, and answers nothing until
   * {@link #resume()}.
   *
   * @throws IllegalStateException if the server is not running
   */
  public synchronized void pause() {
    if (!isRunning()) {
      throw new IllegalStateException("The server on port " + port() + " is not running");
    }
    running.process().pause();
  }

  /** Lets a paused server go on. Does nothing if it is not paused. */
  public synchronized void resume() {
    running.process().resume();
  }

  /**
   * Starts the server again on the same port, after an orderly stop if it is running. Only a
   * {@linkplain Builder#persistent() persistent} server finds its data again.
   *
   * @throws IllegalStateException if the server is closed or does not start
   */
  public synchronized void restart() {
    checkOpen();
    stop();
    settings.forget();
    running = launcher.launch(port());
  }

  /**
   * Starts the server again on the same port without any data, after a kill if it is running.
   *
   * @throws IllegalStateException if the server is closed or does not start
   */
  public synchronized void restartEmpty() {
    checkOpen();
    kill();
    settings.forget();
    files.deleteData();
    running = launcher.launch(port());
  }

  /**
   * Sends one command, as {@code redis-cli} does, and waits for its reply.
   *
   * @param words the command and its arguments, such as {@code "PTTL", "key"}; at least one
   * @return a {@link String}, a {@link Long}, a {@link List} of replies, or null for nil
   * @throws io.lettuce.core.RedisCommandExecutionException if Redis replies with an error, with its
   *     text
   * @throws io.lettuce.core.RedisCommandTimeoutException if there is no reply within 5 seconds
   * @throws RedisException if the server cannot be reached or ends before it replies
   */
  public @Nullable Object command(String... words) {
    if (words.length == 0) {
      throw new IllegalArgumentException("words must hold at least the command, was empty");
    }
    return control.command(List.of(words));
  }

  /**
   * Sends one command whose reply is an integer.
   *
   * @param words the command and its arguments, such as {@code "PTTL", "key"}; at least one
   * @return the integer
   * @throws IllegalStateException if the reply is anything else
   * @throws RedisException as {@link #command(String...)} does
   */
  public long commandAsLong(String... words) {
    Object reply = command(words);
    if (reply instanceof Long number) {
      return number;
    }
    throw unexpected("an integer", reply, words);
  }

  /**
   * Sends one command whose reply is a text or nil.
   *
   * @param words the command and its arguments, such as {@code "GET", "key"}; at least one
   * @return the text, or null for nil
   * @throws IllegalStateException if the reply is anything else
   * @throws RedisException as {@link #command(String...)} does
   */
  public @Nullable String commandAsString(String... words) {
    Object reply = command(words);
    if (reply == null || reply instanceof String) {
      return (String) reply;
    }
    throw unexpected("a text or nil", reply, words);
  }

  /**
   * Changes a setting with {@code CONFIG SET} and remembers what it was until {@link
   * #restoreSettings()}; {@link RedisExtension} calls that before each test. A restart forgets the
   * change as Redis does.
   *
   * <p>{@code requirepass}, {@code maxmemory}, {@code maxmemory-policy} and {@code
   * min-replicas-to-write} are settings that make Redis refuse commands. Commands of this class
   * need no password of the default user.
   *
   * @param directive the name, such as {@code maxmemory}
   * @param value the value, such as {@code 2mb}
   * @throws RedisException as {@link #command(String...)} does
   */
  public void configure(String directive, String value) {
    settings.change(directive, value);
  }

  /**
   * Undoes {@link #configure(String, String)}. Does nothing if there is nothing to undo.
   *
   * @throws RedisException as {@link #command(String...)} does
   */
  public void restoreSettings() {
    settings.restore();
  }

  /**
   * Runs a script that keeps Redis busy: from when this method returns until the script is ended,
   * Redis answers commands with {@code BUSY}.
   *
   * @return the handle that ends the script
   * @throws RedisException as {@link #command(String...)} does
   */
  public BusyScript keepBusy() {
    return keepBusy(BusyScript.ENDLESS);
  }

  /**
   * Runs a script that keeps Redis busy: from when this method returns, for that time at least,
   * Redis answers commands with {@code BUSY}.
   *
   * @param time more than some milliseconds
   * @return the handle that ends the script early
   * @throws RedisException as {@link #command(String...)} does
   */
  public BusyScript keepBusy(Duration time) {
    return BusyScript.start(this, time);
  }

  /**
   * Starts the server again on the same port with its data, which it loads slowly: from when this
   * method returns until the data are loaded, it answers commands with {@code LOADING}. For what to
   * load, keys are added to database 15. The data are gone with the next restart.
   *
   * @param time how long loading takes at least, 20 ms or more
   * @throws IllegalStateException if the server is closed, {@linkplain Builder#persistent()
   *     persistent}, or does not start
   * @throws RedisException if the server cannot store its data first
   */
  public synchronized void restartLoading(Duration time) {
    checkOpen();
    List<String> slowLoading = SlowLoading.prepare(this, time);
    kill();
    settings.forget();
    running = launcher.launchLoading(port(), slowLoading);
    files.deleteSnapshot();
  }

  /**
   * All that the server has logged so far, over all its restarts.
   *
   * @return the text of {@link #logFile()}, empty once that is deleted
   */
  public synchronized String log() {
    return files.readLog();
  }

  /**
   * The file that the server logs to; deleted when the server is closed, unless it is kept.
   *
   * @return the path of the file
   */
  public synchronized Path logFile() {
    return files.log();
  }

  /**
   * Moves the log to where {@link #close()} does not delete it.
   *
   * @return the file's new path, the same for each call
   */
  public synchronized Path keepLog() {
    files.keepLog();
    return files.log();
  }

  /** Ends the server at once, paused or not, and deletes its files. Closing again does nothing. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      kill();
      files.delete();
    }
  }

  /** Makes the server equivalent to a new one: running, not paused, as configured, and empty. */
  synchronized void reset() {
    if (!isRunning()) {
      restartEmpty();
      return;
    }
    resume();
    try {
      restoreSettings();
      command("FLUSHALL");
      command("SCRIPT", "FLUSH");
    } catch (RedisException e) {
      restartEmpty();
    }
  }

  Transport transport() {
    return transport;
  }

  SocketFactory sockets() {
    return transport.sockets();
  }

  /** Whether the server's process lives and is not paused. */
  boolean isAwake() {
    ChildProcess process = running.process();
    return process.isAlive() && !process.isPaused();
  }

  void restoreSetting(String directive) {
    settings.restore(directive);
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("The server on port " + port() + " is closed");
    }
  }

  private static IllegalStateException unexpected(
      String expected, @Nullable Object reply, String... words) {
    return new IllegalStateException(
        String.join(" ", words) + " must be answered with " + expected + ", was " + reply);
  }

  /** Settings of a server that is not started yet. A builder can start several servers. */
  public static final class Builder {

    private final List<String> configuration = new ArrayList<>();
    private final List<Launcher.Mode> modes = new ArrayList<>();
    private Transport transport = Transport.PLAIN;
    private @Nullable String version;
    private int port;

    private Builder() {}

    /** A copy, independent of later changes of this builder. */
    Builder copy() {
      Builder copy = new Builder();
      copy.configuration.addAll(configuration);
      copy.modes.addAll(modes);
      copy.transport = transport;
      copy.version = version;
      copy.port = port;
      return copy;
    }

    /** Only the version of these settings. */
    Builder ofSameVersion() {
      Builder other = new Builder();
      other.version = version;
      return other;
    }

    Builder mode(Launcher.Mode mode) {
      modes.add(mode);
      return this;
    }

    /**
     * The version to run, one that comes as a Maven artifact. By default it is that of the system
     * property {@code monolock.redis}, else the server that the environment variable {@code
     * MONOLOCK_REDIS_SERVER} names, else 7.0.
     *
     * @param version {@code 7.0} or {@code 6.2}
     * @return this builder
     */
    public Builder version(String version) {
      BundledRedis.of(version);
      this.version = version;
      return this;
    }

    /**
     * Adds a line of {@code redis.conf}. Later lines win over earlier ones and over the defaults.
     *
     * @param directive the name, such as {@code maxmemory}
     * @param value the value as it stands in the file, such as {@code 2mb}; the empty text becomes
     *     {@code ""}
     * @return this builder
     */
    public Builder config(String directive, String value) {
      configuration.add(directive + " " + (value.isEmpty() ? "\"\"" : value));
      return this;
    }

    /**
     * The port to listen on. By default, and with 0, the server finds a free one.
     *
     * @param port 0 to 65535
     * @return this builder
     */
    public Builder port(int port) {
      if (port < 0 || port > 65535) {
        throw new IllegalArgumentException("port must be between 0 and 65535, was " + port);
      }
      this.port = port;
      return this;
    }

    /**
     * Speaks TLS only, with the certificate of {@link Certificates#ofServers()}.
     *
     * @return this builder
     */
    public Builder tls() {
      this.transport = Transport.TLS;
      return this;
    }

    /**
     * Speaks TLS only, and only with clients that show a certificate of the authority of {@link
     * Certificates#ofServers()}.
     *
     * @return this builder
     */
    public Builder mutualTls() {
      this.transport = Transport.MUTUAL_TLS;
      return this;
    }

    /**
     * Stores each write on disk before it is confirmed, so that data survive {@link
     * RedisServer#kill()} and {@link RedisServer#restart()}. By default nothing is stored.
     *
     * @return this builder
     */
    public Builder persistent() {
      return config("appendonly", "yes").config("appendfsync", "always");
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @return the running server
     * @throws IllegalStateException if no binary fits this platform or the server does not start;
     *     the message holds its log
     */
    public RedisServer start() {
      return new RedisServer(this);
    }
  }
}
