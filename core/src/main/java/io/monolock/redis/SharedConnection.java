// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
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
 * <p>While the server is down, all calls that come wait for the same attempt to connect and fail
 * with it. Between the beginnings of two attempts lies a pause, or many who try again would keep
 * connecting without end.
 */
final class SharedConnection<C extends StatefulConnection<String, String>> {

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Supplier<? extends CompletionStage<C>> opener;

  private @Nullable CompletableFuture<Link> current; // guarded by this
  private int opening; // guarded by this
  private long begunAt = System.nanoTime() - PAUSE.toNanos(); // guarded by this
  private boolean closed; // guarded by this
  private volatile @Nullable C usable;

  /**
   * @param opener starts to open a connection and does not block
   */
  SharedConnection(Supplier<? extends CompletionStage<C>> opener) {
    this.opener = opener;
  }

  /** Makes a call over a connection that is open; opens it if necessary. */
  <T> Mono<T> call(Function<? super C, ? extends Mono<T>> command) {
    return Mono.<T>defer(
            () -> {
              C connection = usable;
              if (connection != null && connection.isOpen()) {
                return command.apply(connection);
              }
              // a call that is cancelled must not cancel what others wait for
              return Mono.fromFuture(current(), true)
                  .onErrorMap(Failures::ofConnecting)
                  .flatMap(link -> command.apply(link.connection));
            })
        .onErrorMap(Failures::ofCall);
  }

  /**
   * Gives up the connection, also one that is still being opened, as it may be dead: calls under
   * way end, also those that wait for it to open, and the next one opens a new one.
   */
  void giveUp() {
    CompletableFuture<Link> last;
    synchronized (this) {
      last = current;
      current = null;
      usable = null;
      opening++;
    }
    if (last != null && !last.completeExceptionally(givenUp())) {
      CompletableFuture<Void> unused = last.thenAccept(Link::end);
    }
  }

  /** Closes the connection; later calls fail. Completes when all is closed. */
  Mono<Void> close() {
    return Mono.defer(
        () -> {
          CompletableFuture<Link> last;
          synchronized (this) {
            closed = true;
            usable = null;
            last = current;
          }
          if (last == null) {
            return Mono.empty();
          }
          return Mono.fromFuture(last, true)
              .onErrorComplete()
              .flatMap(link -> Mono.fromFuture(link.ending(), true));
        });
  }

  private synchronized CompletableFuture<Link> current() {
    if (closed) {
      return CompletableFuture.failedFuture(Failures.closed());
    }
    CompletableFuture<Link> known = current;
    if (known == null || isOver(known)) {
      known = open();
      current = known;
    }
    return known;
  }

  private boolean isOver(CompletableFuture<Link> link) {
    return link.isDone() && (link.isCompletedExceptionally() || !link.join().connection.isOpen());
  }

  private synchronized CompletableFuture<Link> open() {
    int number = ++opening;
    CompletableFuture<Link> link = new CompletableFuture<>();
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

  private void begin(int number, CompletableFuture<Link> link) {
    synchronized (this) {
      if (closed || number != opening) {
        link.completeExceptionally(closed ? Failures.closed() : givenUp());
        return;
      }
      begunAt = System.nanoTime();
    }
    try {
      CompletionStage<Boolean> unused =
          opener
              .get()
              .thenApply(opened -> link(opened, number))
              .handle(
                  (opened, e) -> e == null ? link.complete(opened) : link.completeExceptionally(e));
    } catch (RuntimeException e) {
      link.completeExceptionally(e);
    }
  }

  private static RedisException givenUp() {
    return new RedisException("Connection given up before it was open");
  }

  private Link link(C connection, int number) {
    // what is late is known without a timer of Lettuce for each command
    connection.setTimeout(Duration.ZERO);
    Link link = new Link(connection);
    connection.addListener(link);
    // lost before there was a listener
    if (!connection.isOpen()) {
      link.end();
      throw new RedisException("Connection lost as soon as it was opened");
    }
    return accept(link, number);
  }

  private synchronized Link accept(Link link, int number) {
    if (closed) {
      link.end();
      throw Failures.closed();
    }
    if (number != opening) {
      link.end();
      throw givenUp();
    }
    usable = link.connection;
    return link;
  }

  /** A connection that is closed once, be it because it is lost or no longer wanted. */
  private final class Link implements RedisConnectionStateListener {

    final C connection;
    private final AtomicBoolean ended = new AtomicBoolean();

    Link(C connection) {
      this.connection = connection;
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
      if (lost.isClosed()) {
        // by us, or by the client because it is shut down
        ended.set(true);
      } else {
        end();
      }
    }

    void end() {
      CompletableFuture<Void> unused = ending();
    }

    CompletableFuture<Void> ending() {
      return ended.compareAndSet(false, true)
          ? connection.closeAsync()
          : CompletableFuture.completedFuture(null);
    }
  }
}
