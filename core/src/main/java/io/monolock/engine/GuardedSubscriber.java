// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockLostException;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Stands between a body under a lock and the body's subscriber.
 *
 * <h2>Why an operator of our own</h2>
 *
 * <p>The body is raced with the loss of the lock, each of its signals is checked against the
 * deadline, a cancelled body may have to run to its end, and a fatal error that it throws while it
 * is subscribed still has to free the lock. The operators of Reactor do one or the other.
 */
abstract class GuardedSubscriber<T> implements CoreSubscriber<T>, Subscription {

  private static final Logger LOG = LoggerFactory.getLogger(GuardedSubscriber.class);

  @SuppressWarnings("rawtypes")
  private static final AtomicIntegerFieldUpdater<GuardedSubscriber> SIGNALLING =
      AtomicIntegerFieldUpdater.newUpdater(GuardedSubscriber.class, "signalling");

  private final HeldLock lock;
  private final CoreSubscriber<? super T> subscriber;
  private final DeferredSubscription source = new DeferredSubscription();

  /** Counts signals under way: one is made after the other, also those that another one causes. */
  @SuppressWarnings("UnusedVariable") // by SIGNALLING
  private volatile int signalling;

  /** Elements that came while another one was signalled; of one thread, as the body's are. */
  private volatile @Nullable Queue<T> later;

  private volatile boolean over; // written under the monitor

  /** The end to signal after the elements; an error also instead of them. */
  private volatile boolean completed;

  private volatile @Nullable Throwable problem;
  private volatile boolean isAborted;
  private volatile boolean begun;
  private volatile boolean dropping;

  GuardedSubscriber(HeldLock lock, CoreSubscriber<? super T> subscriber) {
    this.lock = lock;
    this.subscriber = subscriber;
  }

  /** The body; called once. */
  abstract Publisher<T> body();

  /** Why the body must end, null as long as it may go on. */
  abstract @Nullable LockLostException loss();

  /** The body has ended or was cancelled; may be called more than once. */
  abstract void bodyEnded();

  /** A fatal error is thrown instead of signalled; here it still frees the lock. */
  void begin() {
    if (over) {
      return;
    }
    begun = true;
    try {
      Objects.requireNonNull(body(), "the body of a lock must not be null").subscribe(this);
    } catch (Throwable e) {
      thrown(e);
    }
  }

  private void thrown(Throwable e) {
    source.cancel();
    onError(e);
  }

  @Override
  public Context currentContext() {
    return subscriber.currentContext();
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    source.set(subscription);
  }

  @Override
  public void onNext(T value) {
    if (isLost() || over) {
      cancelBody(); // this thread may be the one that the cancellation waits for
      Operators.onDiscard(value, currentContext());
    } else if (dropping) {
      Operators.onDiscard(value, currentContext());
    } else if (SIGNALLING.compareAndSet(this, 0, 1)) {
      emit(value);
      if (SIGNALLING.decrementAndGet(this) != 0) {
        signalTheRest();
      }
    } else {
      later().add(value);
      if (SIGNALLING.getAndIncrement(this) == 0) {
        signalTheRest();
      }
    }
  }

  private Queue<T> later() {
    Queue<T> later = this.later;
    if (later == null) {
      later = new ConcurrentLinkedQueue<>();
      this.later = later;
    }
    return later;
  }

  /** A subscriber that throws, even a fatal error, gets that as its end, and the lock is freed. */
  private void emit(T value) {
    try {
      subscriber.onNext(value);
    } catch (Throwable e) {
      LOG.warn("the subscriber to a body under {} has thrown", lock.keys(), e);
      abort(e);
    }
  }

  private void signalTheRest() {
    int seen = signalling;
    do {
      Queue<T> later = this.later;
      T value;
      while (later != null && (value = later.poll()) != null) {
        if (isAborted || dropping) {
          Operators.onDiscard(value, currentContext());
        } else {
          emit(value);
        }
      }
      signalEnd();
      seen = SIGNALLING.addAndGet(this, -seen);
    } while (seen != 0);
  }

  private void end() {
    if (SIGNALLING.getAndIncrement(this) == 0) {
      signalTheRest();
    }
  }

  private void signalEnd() {
    Throwable problem = this.problem;
    if (problem != null) {
      this.problem = null;
      subscriber.onError(problem);
    } else if (completed) {
      completed = false;
      subscriber.onComplete();
    }
  }

  @Override
  public void onComplete() {
    if (!isLost() && conclude()) {
      bodyEnded();
      if (!dropping) {
        completed = true;
        end();
      }
    }
  }

  @Override
  public void onError(Throwable e) {
    boolean first = conclude();
    LockLostException loss = loss();
    if (!first || dropping) {
      logDropped(e);
      bodyEnded();
      return;
    }
    if (loss != null) {
      e.addSuppressed(loss);
    }
    bodyEnded();
    problem = e;
    end();
  }

  /** No warning for a loss, as of a lock within this one: it is no failure of the body. */
  private void logDropped(Throwable e) {
    if (!(e instanceof LockLostException)) {
      LOG.warn("the body under {} failed after it was cancelled", lock.keys(), e);
    }
  }

  private boolean isLost() {
    LockLostException loss = loss();
    if (loss == null) {
      return false;
    }
    abort(loss);
    return true;
  }

  private synchronized boolean conclude() {
    if (over) {
      return false;
    }
    over = true;
    return true;
  }

  /** Cancels the body and signals the problem instead of its outcome. */
  void abort(Throwable problem) {
    if (!conclude()) {
      return;
    }
    cancelBody();
    if (!dropping) {
      isAborted = true;
      this.problem = problem;
      end();
    }
  }

  private void cancelBody() {
    try {
      source.cancel();
    } catch (Throwable e) {
      LOG.warn("the body under {} could not be cancelled", lock.keys(), e);
    }
    bodyEnded();
  }

  @Override
  public void request(long n) {
    try {
      source.request(n);
    } catch (Throwable e) {
      thrown(e);
    }
  }

  @Override
  public void cancel() {
    if (begun && lock.options.finishOnCancel()) {
      dropping = true;
      lock.locker.executor.run(() -> request(Long.MAX_VALUE));
    } else if (conclude()) {
      lock.locker.executor.run(this::cancelBody);
    }
  }
}
