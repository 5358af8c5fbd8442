// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;
import reactor.util.retry.Retry;
import reactor.util.retry.RetryBackoffSpec;

/**
 * Spaces the attempts of one subscription as the user's {@link Retry} spec says. The spec gets one
 * failure at a time; attempts that fail before it has answered the last failure are not passed to
 * it. When the spec completes, the attempt that it allowed last is still made.
 *
 * <p>Users' code runs in here, so it is called on the users' scheduler only, though on any of its
 * threads: {@link #failed} may be called again before the call for the last failure has returned.
 */
final class RetryDriver implements CoreSubscriber<Object> {

  private final Retry retry;
  private final SignalExecutor executor;
  private final Context context;
  private final Runnable retryNow;
  private final Consumer<@Nullable Throwable> gaveUp;
  private final Sinks.Many<Retry.RetrySignal> failures =
      Sinks.unsafe().many().unicast().onBackpressureBuffer();

  /** The caller that sets it emits the next failure, so that emissions do not overlap. */
  private final AtomicBoolean awaitingSpec = new AtomicBoolean();

  private volatile @Nullable Throwable lastFailure;
  private long failureCount;
  private volatile boolean completed;
  private volatile boolean cancelled;
  private volatile @Nullable Subscription companion;

  /**
   * For one subscription.
   *
   * @param executor measures the delays of the spec, and runs users' code
   * @param retryNow called when it is time for the next attempt
   * @param gaveUp called when no other attempt is allowed, with the spec's own error or null
   */
  RetryDriver(
      Retry retry,
      SignalExecutor executor,
      Context context,
      Runnable retryNow,
      Consumer<@Nullable Throwable> gaveUp) {
    this.retry = measuredBy(executor, retry);
    this.executor = executor;
    this.context = context;
    this.retryNow = retryNow;
    this.gaveUp = gaveUp;
  }

  @SuppressWarnings("ReferenceEquality") // the default itself, not one like it
  private static Retry measuredBy(SignalExecutor executor, Retry retry) {
    return retry instanceof RetryBackoffSpec backoff
            && backoff.backoffSchedulerSupplier.get() == Schedulers.parallel()
        ? backoff.scheduler(executor)
        : retry;
  }

  /** Passes a failed attempt to the spec, unless it has not answered the last one yet. */
  void failed(Throwable failure) {
    if (cancelled || !awaitingSpec.compareAndSet(false, true)) {
      return;
    }
    if (completed) {
      gaveUp.accept(null);
      return;
    }
    lastFailure = failure;
    try {
      if (companion == null) {
        retry.generateCompanion(failures.asFlux()).subscribe(this);
      }
      failures.tryEmitNext(new FailedAttempt(failureCount++, failure, context));
    } catch (Throwable e) {
      onError(e);
    }
  }

  /** Whether the spec has not said yet when to try again. */
  boolean isAwaitingSpec() {
    return awaitingSpec.get();
  }

  /** May be called on any thread. */
  void cancel() {
    cancelled = true;
    Subscription companion = this.companion;
    if (companion != null) {
      executor.run(companion::cancel);
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
    awaitingSpec.set(false);
    if (!cancelled) {
      retryNow.run();
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the failure it was given, not one like it
  public void onError(Throwable e) {
    if (!cancelled) {
      gaveUp.accept(e == lastFailure || Exceptions.isRetryExhausted(e) ? null : e);
    }
  }

  @Override
  public void onComplete() {
    completed = true;
    if (!cancelled && awaitingSpec.get()) {
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
