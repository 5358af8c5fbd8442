// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Caller;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** One caller that takes turns without a pause. Costs next to nothing itself. */
abstract class CallerLoop implements CoreSubscriber<Object>, Runnable {

  private static final long PAUSE_AFTER_FAILURE_MILLIS = 20;

  private static final Subscription NOT_YET =
      new Subscription() {
        @Override
        public void request(long count) {}

        @Override
        public void cancel() {}
      };

  private final Caller caller;
  private final WindowStatistics tally;
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private volatile boolean stopped;
  private volatile Subscription subscription = NOT_YET;

  /** When the current turn began. */
  long begin;

  CallerLoop(Caller caller, WindowStatistics tally) {
    this.caller = caller;
    this.tally = tally;
  }

  /** The lock is held. */
  @Override
  public abstract void run();

  /** The turn that began at that time is over. */
  abstract void done(long begin);

  /** Subscribes to the next turn. */
  void subscribe(Mono<?> turn) {
    turn.subscribe(this);
  }

  /** Begins a turn, the first or the next. */
  final void next() {
    begin = System.nanoTime();
    subscribe(caller.turn(this));
  }

  /** Begins no other turn. */
  final CompletableFuture<Void> stop() {
    stopped = true;
    return over;
  }

  /** Ends the current turn, too. */
  final void cancel() {
    stopped = true;
    subscription.cancel();
  }

  @Override
  public final void onSubscribe(Subscription turn) {
    subscription = turn;
    turn.request(Long.MAX_VALUE);
  }

  @Override
  public final void onNext(Object value) {
    // completion follows
  }

  @Override
  public final void onComplete() {
    done(begin);
    if (stopped) {
      over.complete(null);
    } else {
      next();
    }
  }

  @Override
  public final void onError(Throwable reason) {
    if (stopped) {
      over.complete(null);
      return;
    }
    tally.failed(reason);
    Schedulers.parallel().schedule(this::next, PAUSE_AFTER_FAILURE_MILLIS, TimeUnit.MILLISECONDS);
  }
}
