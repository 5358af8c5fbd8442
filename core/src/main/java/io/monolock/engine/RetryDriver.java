// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;
import reactor.util.retry.Retry;
import reactor.util.retry.RetryBackoffSpec;

/**
 * Spaces the attempts of one acquisition as the user's {@link Retry} spec says. The spec is told
 * one failed attempt at a time; attempts that are made while it still thinks about the last one are
 * none of its business. When the spec completes, the attempt that it allowed last is still made.
 *
 * <p>Users' code runs in here, so it is called on the users' scheduler only, though on any of its
 * threads: the next failure can be told while the call for the last one has not returned yet.
 */
final class RetryDriver implements CoreSubscriber<Object> {

  private final Retry retry;
  private final Scheduler delays;
  private final Context context;
  private final Runnable again;
  private final Consumer<@Nullable Throwable> gaveUp;
  private final Sinks.Many<Retry.RetrySignal> failures =
      Sinks.unsafe().many().unicast().onBackpressureBuffer();

  /** Whoever sets it may tell the spec of a failure; so these do not overlap. */
  private final AtomicBoolean thinking = new AtomicBoolean();

  private volatile @Nullable Throwable told;
  private long tellings;
  private volatile boolean completed;
  private volatile boolean cancelled;
  private volatile @Nullable Subscription companion;

  /**
   * For one acquisition.
   *
   * @param delays measures the delays of the spec, and runs users' code
   * @param again called when it is time for the next attempt
   * @param gaveUp called when there is to be none, with the spec's own error or null
   */
  RetryDriver(
      Retry retry,
      Scheduler delays,
      Context context,
      Runnable again,
      Consumer<@Nullable Throwable> gaveUp) {
    this.retry = measuredBy(delays, retry);
    this.delays = delays;
    this.context = context;
    this.again = again;
    this.gaveUp = gaveUp;
  }

  @SuppressWarnings("ReferenceEquality") // the default itself, not one like it
  private static Retry measuredBy(Scheduler delays, Retry retry) {
    return retry instanceof RetryBackoffSpec backoff
            && backoff.backoffSchedulerSupplier.get() == Schedulers.parallel()
        ? backoff.scheduler(delays)
        : retry;
  }

  /** Tells the spec of a failed attempt, unless it still thinks about the last one. */
  void failed(Throwable failure) {
    if (cancelled || !thinking.compareAndSet(false, true)) {
      return;
    }
    if (completed) {
      gaveUp.accept(null);
      return;
    }
    told = failure;
    try {
      if (companion == null) {
        retry.generateCompanion(failures.asFlux()).subscribe(this);
      }
      failures.tryEmitNext(new FailedAttempt(tellings++, failure, context));
    } catch (Throwable e) {
      onError(e);
    }
  }

  /** Whether it has not said yet when to try again. */
  boolean isThinking() {
    return thinking.get();
  }

  /** May be called on any thread. */
  void cancel() {
    cancelled = true;
    Subscription companion = this.companion;
    if (companion != null) {
      delays.schedule(companion::cancel);
    }
  }

  @Override
  public Context currentContext() {
    return context;
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    companion = subscription;
    if (cancelled) {
      subscription.cancel();
    } else {
      subscription.request(Long.MAX_VALUE);
    }
  }

  @Override
  public void onNext(Object any) {
    thinking.set(false);
    if (!cancelled) {
      again.run();
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // what it was told, not something like it
  public void onError(Throwable e) {
    if (!cancelled) {
      gaveUp.accept(e == told || Exceptions.isRetryExhausted(e) ? null : e);
    }
  }

  @Override
  public void onComplete() {
    completed = true;
    if (!cancelled && thinking.get()) {
      gaveUp.accept(null);
    }
  }

  private record FailedAttempt(long totalRetries, Throwable failure, ContextView retryContextView)
      implements Retry.RetrySignal {

    @Override
    public long totalRetriesInARow() {
      return totalRetries;
    }
  }
}
