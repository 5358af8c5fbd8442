// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import io.netty.util.internal.ThreadExecutorMap;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.SignalType;

/**
 * A connection that is closed once, be it because it is lost or no longer wanted, and that knows
 * how many of its calls are unanswered.
 *
 * <h2>When calls are sent</h2>
 *
 * <p>What Lettuce is given stays in its buffer until it is flushed: half of what a call costs a
 * busy server is the reading and writing of packets, so calls that come together go out together. A
 * call that finds the others answered is flushed at once, by its own thread. Any other one leaves
 * it to a task on the event loop of the connection, of which there is at most one; it puts its flag
 * back before it flushes, so a call that finds the flag set is in the buffer in time.
 *
 * <p>Each call is sent by itself while it is traced: Lettuce may first have to wait for the trace,
 * and then not flush it.
 */
final class PipelinedConnection implements RedisConnectionStateListener {

  final StatefulRedisConnection<String, String> connection;
  final RedisReactiveCommands<String, String> commands;

  private final boolean coalesces;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final AtomicInteger unanswered = new AtomicInteger();
  private final AtomicBoolean flushing = new AtomicBoolean();
  private final Runnable flushAll = this::flushAll;

  /** When something was heard, or asked after all had been answered. */
  private volatile long aliveAt = System.nanoTime();

  /** The event loop of the connection, known from the first answer on. */
  private volatile @Nullable Executor loop;

  PipelinedConnection(StatefulRedisConnection<String, String> connection) {
    this.connection = connection;
    this.commands = connection.reactive();
    this.coalesces = !connection.getResources().tracing().isEnabled();
  }

  /** Makes it ready for calls. Until then, each command is sent by itself. */
  void ready() {
    // what is late is known without a timer of Lettuce for each command
    connection.setTimeout(Duration.ZERO);
    connection.setAutoFlushCommands(!coalesces);
  }

  /**
   * Makes a call, and sees to it that it is sent.
   *
   * @param command goes over this connection when its answer is requested
   * @param answer requests it at once, and tells that it was {@link #heard}
   */
  <A> void ask(Publisher<A> command, Subscriber<? super A> answer) {
    boolean idle = unanswered.getAndIncrement() == 0;
    if (idle) {
      aliveAt = System.nanoTime();
    }
    command.subscribe(answer);
    if (coalesces) {
      flush(idle);
    }
  }

  /** Sends a command whose answer tells nothing that the call after it does not. */
  void tell(Publisher<?> command) {
    ask(
        command,
        new BaseSubscriber<Object>() {
          @Override
          protected void hookOnError(Throwable refused) {}

          @Override
          protected void hookFinally(SignalType end) {
            heard();
          }
        });
  }

  /** The server has answered one of the calls, or it failed. */
  void heard() {
    unanswered.decrementAndGet();
    aliveAt = System.nanoTime();
    if (loop == null) {
      loop = ThreadExecutorMap.currentExecutor();
    }
  }

  /** It is asked for something whose answer takes about that long. */
  void expectSilence(Duration most) {
    aliveAt = System.nanoTime() + most.toNanos();
  }

  private void flush(boolean atOnce) {
    Executor loop = this.loop;
    if (atOnce || loop == null) {
      connection.flushCommands();
    } else if (!flushing.get() && flushing.compareAndSet(false, true)) {
      try {
        loop.execute(flushAll);
      } catch (RejectedExecutionException e) {
        // the client is being shut down
        flushAll();
      }
    }
  }

  private void flushAll() {
    flushing.set(false);
    connection.flushCommands();
  }

  boolean isOpen() {
    return connection.isOpen();
  }

  /** Whether it has answered nothing for that long, though it was asked. */
  boolean isSilent(Duration timeout) {
    return unanswered.get() > 0 && System.nanoTime() - aliveAt >= timeout.toNanos();
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
    if (lost.isClosed()) {
      // by us, or by the client because it is shut down
      ended.complete(null);
    } else {
      end();
    }
  }

  void whenEnded(Runnable action) {
    CompletableFuture<Void> unused = ended.thenRun(action);
  }

  void end() {
    CompletableFuture<Void> unused = ending();
  }

  CompletableFuture<Void> ending() {
    return ended.complete(null) ? connection.closeAsync() : CompletableFuture.completedFuture(null);
  }
}
