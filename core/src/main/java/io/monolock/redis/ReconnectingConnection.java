// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
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
 * <p>While the server is down, all calls wait for the same connection and fail with it. Attempts to
 * open it begin at least a pause apart, or many callers that try again would connect without end.
 *
 * <p>An attempt may take as long as the settings of the client allow, however short a call is. When
 * callers have given up meanwhile, a second attempt begins beside it, as another server may have
 * got the address; the first connection that is open is used.
 */
final class ReconnectingConnection implements Route {

  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int MOST_ATTEMPTS = 2;

  private final ConnectionFactory factory;
  private final SetUp setUp;

  private final List<Attempt> attempts = new ArrayList<>(); // guarded by this
  private volatile @Nullable Awaited<PipelinedConnection> current; // written under this
  private long begunAt = System.nanoTime() - PAUSE.toNanos(); // guarded by this
  private boolean closed; // guarded by this
  private volatile boolean overdue;

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
    Awaited<PipelinedConnection> awaited = current;
    PipelinedConnection connection = awaited == null ? null : awaited.settled();
    return connection != null && connection.isOpen() && !connection.confirmations.holdBack()
        ? connection
        : null;
  }

  @Override
  public void open(long since, Awaited.Listener<PipelinedConnection> call) {
    awaited()
        .then(
            since,
            (connection, e) -> {
              if (connection == null) {
                call.answered(null, e);
              } else {
                connection.confirmations.then(since, call);
              }
            });
  }

  /** The connection that is open, or being opened from now on. */
  Awaited<PipelinedConnection> awaited() {
    Awaited<PipelinedConnection> awaited;
    synchronized (this) {
      awaited = closed ? Awaited.failed(ErrorMapping.closed()) : current;
      if (awaited != null && (closed || !isOver(awaited))) {
        return awaited;
      }
      awaited = new Awaited<>();
      current = awaited;
    }
    beginAfterPause(awaited);
    return awaited;
  }

  private static boolean isOver(Awaited<PipelinedConnection> awaited) {
    PipelinedConnection connection = awaited.value();
    return awaited.isDone() && (connection == null || !connection.isOpen());
  }

  /** Leaves a server that answers as a replica, which may never close the connection by itself. */
  @Override
  public @Nullable Route after(PipelinedConnection connection, Throwable failure) {
    if (ErrorMapping.isOfReplica(failure)) {
      factory.ledToReplica();
      connection.retire();
    }
    return null;
  }

  /**
   * Called when a call got no answer for that long. A connection is given up if it may be dead, as
   * calls are unanswered and none was answered for about that long; calls under way fail. Calls
   * that have waited for the connection for about that long fail, too, and are never sent.
   */
  void overdue(Duration timeout) {
    long latest = latest(timeout);
    Awaited<PipelinedConnection> awaited;
    PipelinedConnection connection;
    PipelinedConnection silent = null;
    boolean again;
    synchronized (this) {
      awaited = current;
      if (awaited == null) {
        return;
      }
      again = !awaited.isDone() && begunAt - latest <= 0;
      overdue |= again;
      connection = awaited.value();
      if (connection != null && connection.isSilent(latest)) {
        silent = connection;
        current = null;
      }
    }
    if (connection != null) {
      connection.confirmations.expire(latest);
    }
    if (silent != null) {
      silent.end();
    }
    if (again) {
      beginAfterPause(awaited);
    }
    awaited.expire(latest, ErrorMapping.notReadyYet());
  }

  /** Whether callers have given up on a connection that has not been opened since. */
  boolean isOverdue() {
    return overdue;
  }

  /** Calls that are made from now on go over a new connection. */
  void retire() {
    Awaited<PipelinedConnection> awaited = current;
    PipelinedConnection connection = awaited == null ? null : awaited.value();
    if (connection != null) {
      connection.retire();
    }
  }

  /** When a call began whose timeout is over; the caller began to count a little earlier. */
  static long latest(Duration timeout) {
    return System.nanoTime() - timeout.minus(timeout.dividedBy(8)).toNanos();
  }

  /**
   * Closes the connection; later calls fail. Completes when it is closed. A connection that is
   * still being opened is not waited for, as that may never end; it is closed as soon as it is
   * open.
   */
  Mono<Void> close() {
    return Mono.defer(
        () -> {
          Awaited<PipelinedConnection> last;
          List<Attempt> unwanted;
          synchronized (this) {
            closed = true;
            last = current;
            unwanted = List.copyOf(attempts);
            attempts.clear();
          }
          unwanted.forEach(Attempt::abandon);
          if (last == null || last.fail(ErrorMapping.closed())) {
            return Mono.empty();
          }
          PipelinedConnection connection = last.value();
          return connection == null
              ? Mono.empty()
              : Mono.fromFuture(connection.ending(), true).onErrorComplete();
        });
  }

  private void beginAfterPause(Awaited<PipelinedConnection> awaited) {
    long pause;
    synchronized (this) {
      long now = System.nanoTime();
      pause = Math.max(0, begunAt + PAUSE.toNanos() - now);
      begunAt = now + pause;
    }
    if (pause == 0) {
      begin(awaited);
    } else {
      Future<?> unused = Delays.after(Duration.ofNanos(pause), () -> begin(awaited));
    }
  }

  private void begin(Awaited<PipelinedConnection> awaited) {
    Attempt attempt;
    Attempt unwanted;
    synchronized (this) {
      if (closed || awaited != current || awaited.isDone()) {
        return;
      }
      attempt = new Attempt(awaited);
      // the first one has got the furthest
      unwanted = attempts.size() < MOST_ATTEMPTS ? null : attempts.remove(MOST_ATTEMPTS - 1);
      attempts.add(attempt);
    }
    if (unwanted != null) {
      unwanted.abandon();
    }
    attempt.begin();
  }

  /** One attempt to open and to prepare a connection. */
  private final class Attempt {

    private final Awaited<PipelinedConnection> awaited;
    private final Future<?> limit;
    private final CompletableFuture<Void> abandoned = new CompletableFuture<>();

    Attempt(Awaited<PipelinedConnection> awaited) {
      this.awaited = awaited;
      this.limit =
          Delays.after(
              factory.timeout(),
              () ->
                  failed(
                      new RedisException(
                          "Connection not open after %,d ms"
                              .formatted(factory.timeout().toMillis()))));
    }

    void begin() {
      try {
        CompletionStage<?> unused =
            factory
                .open()
                .thenCompose(this::prepared)
                .handle((connection, e) -> e == null ? opened(connection) : failed(e));
      } catch (RuntimeException e) {
        failed(e);
      }
    }

    private CompletionStage<PipelinedConnection> prepared(
        StatefulRedisConnection<String, String> opened) {
      PipelinedConnection connection = new PipelinedConnection(opened);
      opened.addListener(connection);
      CompletableFuture<Void> unused = abandoned.thenRun(connection::end);
      return setUp.prepare(opened).thenApply(any -> connection);
    }

    private boolean opened(PipelinedConnection connection) {
      // lost before there was a listener, or while it was prepared
      if (!connection.isOpen()) {
        return failed(new RedisException("Connection lost as soon as it was opened"));
      }
      List<Attempt> unwanted;
      synchronized (ReconnectingConnection.this) {
        if (!attempts.remove(this)) {
          return false;
        }
        unwanted = List.copyOf(attempts);
        attempts.clear();
      }
      overdue = false;
      Delays.cancel(limit);
      unwanted.forEach(Attempt::abandon);
      connection.ready();
      connection.whenEnded(setUp::lost);
      awaited.complete(connection);
      setUp.usable();
      return true;
    }

    private boolean failed(Throwable e) {
      boolean isLast;
      synchronized (ReconnectingConnection.this) {
        isLast = attempts.remove(this) && attempts.isEmpty();
      }
      abandon();
      return isLast && awaited.fail(e);
    }

    /** Closes the connection now, or as soon as it is open. */
    void abandon() {
      Delays.cancel(limit);
      abandoned.complete(null);
    }
  }
}
