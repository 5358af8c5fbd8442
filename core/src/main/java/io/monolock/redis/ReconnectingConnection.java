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
 * One connection that many calls share. It is opened when it is first needed, and a new one is
 * opened whenever it has been lost.
 *
 * <p>Left to itself, Lettuce keeps the commands of a lost connection, reconnects, and sends them
 * again: an acquisition may then take effect long after its caller has given up. So a connection
 * that is lost is closed at once. That ends the commands that were under way, whose outcome nobody
 * knows, and keeps Lettuce from reconnecting. It is closed in Lettuce's own thread, between the
 * events of the channel, so that none of the commands is overlooked.
 *
 * <p>So is a connection to a server that says that it is a replica: its primary has become another
 * one, and not every replica cuts the connections that it has had before.
 *
 * <p>While the server is down, all calls that come wait for the same attempt to connect and fail
 * with it. Between the beginnings of two attempts lies a pause, or many who try again would keep
 * connecting without end.
 */
final class ReconnectingConnection implements Route {

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final ConnectionFactory opener;
  private final SetUp setUp;

  private @Nullable CompletableFuture<PipelinedConnection> current; // guarded by this
  private int opening; // guarded by this
  private long begunAt = System.nanoTime() - PAUSE.toNanos(); // guarded by this
  private boolean closed; // guarded by this
  private volatile @Nullable PipelinedConnection usable;

  /** What a connection needs between its opening and its first call. */
  interface SetUp {

    /** Prepares a connection that has just been opened; if it fails, the connection is closed. */
    CompletionStage<?> prepare(StatefulRedisConnection<String, String> connection);

    /** Calls go over a connection that was prepared, from now on. */
    default void usable() {}

    /** A connection that calls went over has ended. */
    default void lost() {}
  }

  /** A connection that needs no preparation. */
  ReconnectingConnection(ConnectionFactory opener) {
    this(opener, connection -> CompletableFuture.completedFuture(null));
  }

  /**
   * @param opener opens connections
   * @param setUp prepares each connection
   */
  ReconnectingConnection(ConnectionFactory opener, SetUp setUp) {
    this.opener = opener;
    this.setUp = setUp;
  }

  @Override
  public @Nullable PipelinedConnection usable() {
    PipelinedConnection link = usable;
    return link != null && link.isOpen() ? link : null;
  }

  @Override
  public synchronized CompletableFuture<PipelinedConnection> open() {
    if (closed) {
      return CompletableFuture.failedFuture(ErrorMapping.closed());
    }
    CompletableFuture<PipelinedConnection> known = current;
    if (known == null || isOver(known)) {
      known = beginAfterAPause();
      current = known;
    }
    return known;
  }

  /** A replica may never say by itself that it is no longer the one to talk to. */
  @Override
  public @Nullable Route after(PipelinedConnection link, Throwable failure) {
    if (ErrorMapping.isOfReplica(failure)) {
      opener.ledToReplica();
      link.end();
    }
    return null;
  }

  private boolean isOver(CompletableFuture<PipelinedConnection> link) {
    return link.isDone() && (link.isCompletedExceptionally() || !link.join().isOpen());
  }

  /**
   * Gives up the connection if it may be dead, as it has answered nothing for about that long
   * though it was asked, or is being opened for that long: calls under way end, also those that
   * wait for it to open, and the next one opens a new one.
   */
  void overdue(Duration timeout) {
    // whoever complains began to count a little before the connection was asked
    Duration most = timeout.minus(timeout.dividedBy(8));
    CompletableFuture<PipelinedConnection> last;
    synchronized (this) {
      last = current;
      if (last == null || !isSilent(last, most)) {
        return;
      }
      current = null;
      usable = null;
      opening++;
    }
    if (!last.completeExceptionally(givenUp())) {
      CompletableFuture<Void> unused = last.thenAccept(PipelinedConnection::end);
    }
  }

  private boolean isSilent(CompletableFuture<PipelinedConnection> link, Duration timeout) {
    PipelinedConnection usable = this.usable;
    return link.isDone()
        ? usable != null && usable.isSilent(timeout)
        : System.nanoTime() - begunAt >= timeout.toNanos();
  }

  /**
   * Closes the connection; later calls fail. Completes when it is closed; one that is still being
   * opened is not waited for, as that may never end, but closed as soon as it is there.
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
              .flatMap(link -> Mono.fromFuture(link.ending(), true));
        });
  }

  private CompletableFuture<PipelinedConnection> beginAfterAPause() {
    int number = ++opening;
    CompletableFuture<PipelinedConnection> link = new CompletableFuture<>();
    long pause = begunAt + PAUSE.toNanos() - System.nanoTime();
    if (pause <= 0) {
      begin(number, link);
    } else {
      CompletableFuture<Void> unused =
          new CompletableFuture<Void>()
              .completeOnTimeout(null, pause, TimeUnit.NANOSECONDS)
              .thenRunAsync(() -> begin(number, link));
    }
    return link;
  }

  private void begin(int number, CompletableFuture<PipelinedConnection> awaited) {
    synchronized (this) {
      if (closed || number != opening) {
        awaited.completeExceptionally(closed ? ErrorMapping.closed() : givenUp());
        return;
      }
      begunAt = System.nanoTime();
    }
    try {
      CompletionStage<Boolean> unused =
          opener
              .open()
              .thenCompose(connection -> prepared(connection, awaited))
              .thenApply(link -> accept(link, number))
              .handle(
                  (link, e) ->
                      e == null ? accepted(link, awaited) : awaited.completeExceptionally(e));
    } catch (RuntimeException e) {
      awaited.completeExceptionally(e);
    }
  }

  private static RedisException givenUp() {
    return new RedisException("Connection given up before it was open");
  }

  private CompletionStage<PipelinedConnection> prepared(
      StatefulRedisConnection<String, String> connection,
      CompletableFuture<PipelinedConnection> awaited) {
    PipelinedConnection link = new PipelinedConnection(connection);
    connection.addListener(link);
    CompletableFuture<PipelinedConnection> unused =
        awaited.whenComplete(
            (any, e) -> {
              if (e != null) {
                link.end();
              }
            });
    return setUp.prepare(connection).thenApply(any -> link);
  }

  private synchronized PipelinedConnection accept(PipelinedConnection link, int number) {
    if (closed) {
      throw ErrorMapping.closed();
    }
    if (number != opening) {
      throw givenUp();
    }
    // lost before there was a listener, or while it was prepared
    if (!link.isOpen()) {
      throw new RedisException("Connection lost as soon as it was opened");
    }
    link.ready();
    usable = link;
    return link;
  }

  private boolean accepted(
      PipelinedConnection link, CompletableFuture<PipelinedConnection> awaited) {
    link.whenEnded(setUp::lost);
    setUp.usable();
    return awaited.complete(link);
  }
}
