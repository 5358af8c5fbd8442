// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import io.netty.util.internal.ThreadExecutorMap;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.SignalType;

/**
 * A Lettuce connection that many calls share at the same time. It is closed once, because it is
 * lost or no longer wanted, and it counts its unanswered calls.
 *
 * <h2>When calls are sent</h2>
 *
 * <p>Commands stay in the buffer of Lettuce until it is flushed: half of what a call costs a busy
 * server is the reading and writing of packets, so calls that are made together are sent together.
 * Only a task on the event loop of the connection flushes, or calls would be written in another
 * order than they were made. There is at most one such task; it clears its flag before it flushes,
 * so a call that finds the flag set is in the buffer in time.
 *
 * <p>With tracing each call is sent by itself: Lettuce may have to wait for the trace before it
 * writes the command, and does not flush it then.
 */
final class PipelinedConnection implements RedisConnectionStateListener {

  private static final Duration LONGEST_RETIREMENT = Duration.ofSeconds(10);

  final StatefulRedisConnection<String, String> lettuce;
  final RedisReactiveCommands<String, String> commands;
  final Confirmations confirmations;

  private final boolean coalesces;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final AtomicInteger unanswered = new AtomicInteger();
  private final AtomicBoolean flushing = new AtomicBoolean();
  private final Runnable flushAll = this::flushAll;

  /** When the last answer came or, if later, the first call after all others had been answered. */
  private volatile long aliveAt = System.nanoTime();

  /** The event loop of the connection; in rare cases another thread, but always the same one. */
  private Executor loop = Delays::now;

  PipelinedConnection(StatefulRedisConnection<String, String> lettuce) {
    this.lettuce = lettuce;
    this.commands = lettuce.reactive();
    this.confirmations = new Confirmations(this);
    this.coalesces = !lettuce.getResources().tracing().isEnabled();
  }

  /** Makes the connection ready for calls. Until then, Lettuce sends each command at once. */
  void ready() {
    Executor current = ThreadExecutorMap.currentExecutor();
    if (current != null) {
      loop = current;
    }
    // time limits are the engine's, so Lettuce needs no timer for each command
    lettuce.setTimeout(Duration.ZERO);
    lettuce.setAutoFlushCommands(!coalesces);
    if (coalesces && renewsCredentials()) {
      flushAgain();
    }
  }

  private boolean renewsCredentials() {
    return lettuce.getOptions().getReauthenticateBehaviour()
        == ClientOptions.ReauthenticateBehavior.ON_NEW_CREDENTIALS;
  }

  /** Lettuce does not flush new credentials itself, which concern an idle connection, too. */
  private void flushAgain() {
    if (isOpen()) {
      flush();
      Future<?> unused = Delays.after(Duration.ofSeconds(1), this::flushAgain);
    }
  }

  /**
   * Makes a call and flushes it, now or together with others.
   *
   * @param command a command of {@link #commands}, written when its answer is requested
   * @param subscriber requests the answer at once, and calls {@link #answered} when it has come
   */
  <A> void ask(Publisher<A> command, Subscriber<? super A> subscriber) {
    if (unanswered.getAndIncrement() == 0) {
      aliveAt = System.nanoTime();
    }
    command.subscribe(subscriber);
    if (coalesces) {
      flush();
    }
  }

  /** Sends a command whose answer says nothing that the answer to the call behind it does not. */
  void sendAhead(Publisher<?> command) {
    ask(
        command,
        new BaseSubscriber<Object>() {
          @Override
          protected void hookOnError(Throwable ignored) {}

          @Override
          protected void hookFinally(SignalType end) {
            answered();
          }
        });
  }

  /** One of the calls was answered, or has failed. */
  void answered() {
    boolean isIdle = unanswered.decrementAndGet() == 0;
    aliveAt = System.nanoTime();
    if (isIdle) {
      confirmations.askWhenIdle();
      if (ended.isDone()) {
        end();
      }
    }
  }

  /**
   * The command just sent blocks the connection for that long, so its silence means nothing until
   * then.
   */
  void expectSilence(Duration most) {
    aliveAt = System.nanoTime() + most.toNanos();
  }

  private void flush() {
    if (!flushing.get() && flushing.compareAndSet(false, true)) {
      inLoop(flushAll);
    }
  }

  /** Does something in the event loop, after what it is doing now. */
  void inLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // the client is being shut down
      task.run();
    }
  }

  private void flushAll() {
    flushing.set(false);
    lettuce.flushCommands();
  }

  /** Whether all calls are answered. */
  boolean isIdle() {
    return unanswered.get() == 0;
  }

  /** Whether calls may be made over it. */
  boolean isOpen() {
    return !ended.isDone() && lettuce.isOpen();
  }

  /** Whether calls are unanswered and none was answered since. */
  boolean isSilent(long since) {
    return unanswered.get() > 0 && aliveAt - since <= 0;
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
    if (lost.isClosed()) {
      // by us, or by the client because it is shut down
      closing.set(true);
      ended.complete(null);
    } else {
      end();
    }
  }

  void whenEnded(Runnable action) {
    CompletableFuture<Void> unused = ended.thenRun(action);
  }

  /** Closes it when the calls that are under way are answered; there will be no more. */
  void retire() {
    if (ended.complete(null)) {
      Future<?> unused = Delays.after(LONGEST_RETIREMENT, this::end);
    }
    if (isIdle()) {
      end();
    }
  }

  void end() {
    CompletableFuture<Void> unused = ending();
  }

  CompletableFuture<Void> ending() {
    ended.complete(null);
    return closing.compareAndSet(false, true)
        ? lettuce.closeAsync()
        : CompletableFuture.completedFuture(null);
  }
}
