// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.ArrayList;
import java.util.List;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * A publisher whose signals a test sends by hand, also after the subscriber has cancelled.
 *
 * <p>Reactive Streams allow that (rule 2.8): a cancellation may be on its way while a signal is.
 * Signals that they forbid are refused with {@link IllegalStateException}: a value that was not
 * requested, and a signal after the last. A subscriber gets each signal that is sent after it has
 * subscribed, in the thread that sends it; signals must be sent one at a time.
 *
 * @param <T> the type of the values
 */
public final class LatePublisher<T> implements Publisher<T> {

  private final List<Subscribed<T>> subscribed = new ArrayList<>();
  private boolean isEnded;

  /** Creates a publisher without subscribers. */
  public LatePublisher() {}

  @Override
  public void subscribe(Subscriber<? super T> subscriber) {
    Subscribed<T> subscription = new Subscribed<>(subscriber);
    synchronized (this) {
      checkNotEnded();
      subscribed.add(subscription);
    }
    subscriber.onSubscribe(subscription);
  }

  /**
   * Sends a value to every subscriber, cancelled or not.
   *
   * @param value the value
   */
  public void next(T value) {
    synchronized (this) {
      checkNotEnded();
      subscribed.forEach(Subscribed::take);
    }
    current().forEach(each -> each.subscriber.onNext(value));
  }

  /** Completes every subscriber, cancelled or not. */
  public void complete() {
    end();
    current().forEach(each -> each.subscriber.onComplete());
  }

  /**
   * Sends an error to every subscriber, cancelled or not.
   *
   * @param error the error
   */
  public void error(Throwable error) {
    end();
    current().forEach(each -> each.subscriber.onError(error));
  }

  /**
   * How many subscribers there have been so far.
   *
   * @return the count, cancelled subscribers included
   */
  public int subscriptions() {
    return current().size();
  }

  /**
   * How many subscribers have cancelled so far.
   *
   * @return the count; a subscriber that cancels twice counts once
   */
  public int cancellations() {
    return (int) current().stream().filter(Subscribed::isCancelled).count();
  }

  private synchronized List<Subscribed<T>> current() {
    return List.copyOf(subscribed);
  }

  private synchronized void end() {
    checkNotEnded();
    isEnded = true;
  }

  private void checkNotEnded() {
    if (isEnded) {
      throw new IllegalStateException("The last signal is sent already");
    }
  }

  private static final class Subscribed<T> implements Subscription {

    private final Subscriber<? super T> subscriber;
    private long requested;
    private boolean isCancelled;

    Subscribed(Subscriber<? super T> subscriber) {
      this.subscriber = subscriber;
    }

    @Override
    public synchronized void request(long count) {
      long sum = requested + count;
      requested = sum < 0 ? Long.MAX_VALUE : sum;
    }

    @Override
    public synchronized void cancel() {
      isCancelled = true;
    }

    synchronized boolean isCancelled() {
      return isCancelled;
    }

    synchronized void take() {
      if (requested == 0) {
        throw new IllegalStateException("The subscriber has requested no value");
      }
      if (requested != Long.MAX_VALUE) {
        requested--;
      }
    }
  }
}
