// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Caller;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** One caller that acquires and releases without pauses, at a minimal cost of its own. */
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
  private final WindowStatistics statistics;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile boolean stopped;
  private volatile Subscription subscription = NOT_YET;

  /** When the current call began. */
  long begin;

  CallerLoop(Caller caller, WindowStatistics statistics) {
    this.caller = caller;
    this.statistics = statistics;
  }

  /** The lock is held. */
  @Override
  public abstract void run();

  /** The call that began at that time has completed. */
  abstract void done(long begin);

  /** Subscribes to the next call. */
  void subscribe(Mono<?> call) {
    call.subscribe(this);
  }

  /** Begins a call, the first or the next. */
  final void next() {
    begin = System.nanoTime();
    subscribe(caller.acquireAndRelease(this));
  }

  /** Begins no other call. */
  final CompletableFuture<Void> stop() {
    stopped = true;
    return ended;
  }

  /** Cancels the current call, too. */
  final void cancel() {
    stopped = true;
    subscription.cancel();
  }

  @Override
  public final void onSubscribe(Subscription current) {
    subscription = current;
    current.request(Long.MAX_VALUE);
  }

  @Override
  public final void onNext(Object value) {
    // completion follows
  }

  @Override
  public final void onComplete() {
    done(begin);
    if (stopped) {
      ended.complete(null);
    } else {
      next();
    }
  }

  @Override
  public final void onError(Throwable reason) {
    if (stopped) {
      ended.complete(null);
      return;
    }
    statistics.failed(reason);
    Schedulers.parallel().schedule(this::next, PAUSE_AFTER_FAILURE_MILLIS, TimeUnit.MILLISECONDS);
  }
}
