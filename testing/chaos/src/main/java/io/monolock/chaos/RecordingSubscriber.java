// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.LockLostException;
import io.monolock.LockStoreException;
import io.monolock.chaos.CallEvent.CallEnded;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A caller that records every signal, even one that violates the protocol. */
final class RecordingSubscriber<T> implements CoreSubscriber<T> {

  private final Journal journal;
  private final String call;
  private final boolean isMany;
  private final CountDownLatch end = new CountDownLatch(1);
  private final AtomicReference<@Nullable T> value = new AtomicReference<>();
  private final AtomicInteger values = new AtomicInteger();
  private volatile @Nullable Subscription subscription;

  RecordingSubscriber(Journal journal, String call, String what, boolean isMany) {
    this.journal = journal;
    this.call = call;
    this.isMany = isMany;
    journal.add(new CallEvent.CallBegan(System.nanoTime(), call, what));
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    this.subscription = subscription;
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(T next) {
    value.set(next);
    if (values.incrementAndGet() > 1 && !isMany) {
      ended("one more value");
    }
  }

  @Override
  public void onComplete() {
    ended(values.get() == 0 ? CallEnded.EMPTY : CallEnded.VALUE);
  }

  @Override
  public void onError(Throwable error) {
    ended(name(error));
  }

  /** Waits for the outcome; false if there is none in that time. */
  boolean await(Duration time) throws InterruptedException {
    return end.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  void cancel() {
    Subscription present = subscription;
    if (present != null) {
      journal.add(new CallEnded(System.nanoTime(), call, CallEnded.CANCELLED));
      present.cancel();
      end.countDown();
    }
  }

  /** Removes and returns the value; null if there is none. */
  @Nullable T take() {
    return value.getAndSet(null);
  }

  private void ended(String outcome) {
    journal.add(new CallEnded(System.nanoTime(), call, outcome));
    end.countDown();
  }

  private static String name(Throwable error) {
    String name = error.getClass().getName();
    if (error instanceof LockLostException lost) {
      return name + " " + lost.reason();
    }
    return error instanceof LockStoreException failure ? name + " " + failure.reason() : name;
  }
}
