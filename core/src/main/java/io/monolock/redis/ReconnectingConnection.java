// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A connection that many calls share. It is opened when it is first needed, and replaced by a new
 * one after it was lost.
 *
 * <p>By default Lettuce keeps the commands of a lost connection, reconnects, and sends them again:
 * an acquisition may then take effect long after its caller has given up. So a lost connection is
 * closed at once. That fails the commands that were under way, whose outcome is unknown, and keeps
 * Lettuce from reconnecting. It is closed in Lettuce's own thread, between the events of the
 * channel, so that no command is missed.
 *
 * <p>A connection is closed, too, when its server answers that it is a replica: another server has
 * become the primary, and not every replica closes the connections it had before.
 *
 * <p>While the server is down, all calls wait for the same attempt to connect and fail with it.
 * Attempts begin at least a pause apart, or many callers that try again would connect without end.
 */
final class ReconnectingConnection implements Route {

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final ConnectionFactory factory;
  private final SetUp setUp;

  private @Nullable CompletableFuture<PipelinedConnection> current; // guarded by this
  private int attempt; // guarded by this
  private long begunAt = System.nanoTime() - PAUSE.toNanos(); // guarded by this
  private boolean closed; // guarded by this
  private volatile @Nullable PipelinedConnection usable;

  /** What a connection needs between its opening and its first call. */
  interface SetUp {

    /** Prepares a connection that has just been opened; if it fails, the connection is closed. */
    CompletionStage<?> prepare(StatefulRedisConnection<String, String> connection);

    /** From now on, calls go over the connection that was prepared. */
    default void usable() {}

    /** A connection that calls went over is closed. */
    default void lost() {}
  }

  /** A connection that needs no preparation. */
  ReconnectingConnection(ConnectionFactory factory) {
    this(factory, any -> CompletableFuture.completedFuture(null));
  }

  /**
   * @param factory opens connections
   * @param setUp prepares each connection
   */
  ReconnectingConnection(ConnectionFactory factory, SetUp setUp) {
    this.factory = factory;
    this.setUp = setUp;
  }

  @Override
  public @Nullable PipelinedConnection usable() {
    PipelinedConnection connection = usable;
    return connection != null && connection.isOpen() ? connection : null;
  }

  @Override
  public synchronized CompletableFuture<PipelinedConnection> open() {
    if (closed) {
      return CompletableFuture.failedFuture(ErrorMapping.closed());
    }
    CompletableFuture<PipelinedConnection> known = current;
    if (known == null || isOver(known)) {
      known = beginAfterPause();
      current = known;
    }
    return known;
  }

  /** Leaves a server that answers as a replica, which may never close the connection by itself. */
  @Override
  public @Nullable Route after(PipelinedConnection connection, Throwable failure) {
    if (ErrorMapping.isOfReplica(failure)) {
      factory.ledToReplica();
      connection.end();
    }
    return null;
  }

  private boolean isOver(CompletableFuture<PipelinedConnection> connection) {
    return connection.isDone()
        && (connection.isCompletedExceptionally() || !connection.join().isOpen());
  }

  /**
   * Gives up the connection if it may be dead: calls are unanswered and none was answered for about
   * that long, or it is being opened for that long. Calls under way fail, also those that wait for
   * it to open, and the next call opens a new connection.
   */
  void overdue(Duration timeout) {
    // the caller began to count a little before the command was sent
    Duration most = timeout.minus(timeout.dividedBy(8));
    CompletableFuture<PipelinedConnection> last;
    synchronized (this) {
      last = current;
      if (last == null || !isSilent(last, most)) {
        return;
      }
      current = null;
      usable = null;
      attempt++;
    }
    if (!last.completeExceptionally(givenUp())) {
      CompletableFuture<Void> unused = last.thenAccept(PipelinedConnection::end);
    }
  }

  private boolean isSilent(CompletableFuture<PipelinedConnection> connection, Duration timeout) {
    PipelinedConnection usable = this.usable;
    return connection.isDone()
        ? usable != null && usable.isSilent(timeout)
        : System.nanoTime() - begunAt >= timeout.toNanos();
  }

  /**
   * Closes the connection; later calls fail. Completes when it is closed. A connection that is
   * still being opened is not waited for, as that may never end; it is closed as soon as it is
   * open.
   */
  Mono<Void> close() {
    return Mono.defer(
        () -> {
          CompletableFuture<PipelinedConnection> last;
          synchronized (this) {
            closed = true;
            usable = null;
            last = current;
          }
          if (last == null || last.completeExceptionally(ErrorMapping.closed())) {
            return Mono.empty();
          }
          return Mono.fromFuture(last, true)
              .onErrorComplete()
              .flatMap(connection -> Mono.fromFuture(connection.ending(), true));
        });
  }

  private CompletableFuture<PipelinedConnection> beginAfterPause() {
    int number = ++attempt;
    CompletableFuture<PipelinedConnection> awaited = new CompletableFuture<>();
    long pause = begunAt + PAUSE.toNanos() - System.nanoTime();
    if (pause <= 0) {
      begin(number, awaited);
    } else {
      CompletableFuture<Void> unused =
          new CompletableFuture<Void>()
              .completeOnTimeout(null, pause, TimeUnit.NANOSECONDS)
              .thenRunAsync(() -> begin(number, awaited));
    }
    return awaited;
  }

  private void begin(int number, CompletableFuture<PipelinedConnection> awaited) {
    synchronized (this) {
      if (closed || number != attempt) {
        awaited.completeExceptionally(closed ? ErrorMapping.closed() : givenUp());
        return;
      }
      begunAt = System.nanoTime();
    }
    try {
      CompletionStage<Boolean> unused =
          factory
              .open()
              .thenCompose(opened -> prepared(opened, awaited))
              .thenApply(connection -> accept(connection, number))
              .handle(
                  (connection, e) ->
                      e == null ? accepted(connection, awaited) : awaited.completeExceptionally(e));
    } catch (RuntimeException e) {
      awaited.completeExceptionally(e);
    }
  }

  private static RedisException givenUp() {
    return new RedisException("Connection given up before it was open");
  }

  private CompletionStage<PipelinedConnection> prepared(
      StatefulRedisConnection<String, String> opened,
      CompletableFuture<PipelinedConnection> awaited) {
    PipelinedConnection connection = new PipelinedConnection(opened);
    opened.addListener(connection);
    CompletableFuture<PipelinedConnection> unused =
        awaited.whenComplete(
            (any, e) -> {
              if (e != null) {
                connection.end();
              }
            });
    return setUp.prepare(opened).thenApply(any -> connection);
  }

  private synchronized PipelinedConnection accept(PipelinedConnection connection, int number) {
    if (closed) {
      throw ErrorMapping.closed();
    }
    if (number != attempt) {
      throw givenUp();
    }
    // lost before there was a listener, or while it was prepared
    if (!connection.isOpen()) {
      throw new RedisException("Connection lost as soon as it was opened");
    }
    connection.ready();
    usable = connection;
    return connection;
  }

  private boolean accepted(
      PipelinedConnection connection, CompletableFuture<PipelinedConnection> awaited) {
    connection.whenEnded(setUp::lost);
    setUp.usable();
    return awaited.complete(connection);
  }
}
