// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * One call to the store. It is never cancelled: its caller is told at its timeout, and the answer
 * is processed whenever it comes.
 *
 * <p>The outcome is signalled by three methods, whatever the store signals or throws: {@link
 * #answered}, also after a timeout; {@link #failed}, for a failure or a timeout; and {@link #over},
 * once, when nothing is to be expected of the call any more, or it counts as in doubt. After a
 * timeout it does so only when the grace is over, too.
 */
abstract class StoreCall<T> implements CoreSubscriber<T> {

  private enum State {
    /** Not sent; it may still be withdrawn. */
    NEW,
    UNANSWERED,
    TIMED_OUT,
    /** It counts as in doubt; its answer may still come. */
    FORGOTTEN,
    DONE
  }

  private static final Logger LOG = LoggerFactory.getLogger(StoreCall.class);

  final LockerContext locker;
  private final Context context;
  private State state = State.NEW; // guarded by this
  private TimerWheel.@Nullable Task limit; // guarded by this

  StoreCall(LockerContext locker, Context context) {
    this.locker = locker;
    this.context = context;
  }

  abstract Mono<T> call();

  abstract void answered(T value);

  abstract void failed(StoreFailure failure);

  /**
   * Nothing is to be expected of the call any more.
   *
   * @param inDoubt whether it may have taken effect all the same
   */
  void over(boolean inDoubt) {}

  /** How long after its timeout the call counts as unanswered. */
  Duration grace() {
    return Duration.ZERO;
  }

  StoreProblem.Reason reasonWhenUnanswered() {
    return StoreProblem.Reason.UNKNOWN_OUTCOME;
  }

  /** The store completed without an answer. */
  void empty() {
    onError(new IllegalStateException("a call to the store completed without an answer"));
  }

  /** From now on the caller waits, whether or not the call is sent yet. */
  final void limit(Duration timeout) {
    TimerWheel.Task task = locker.wheel.limit(timeout, this::timedOut);
    synchronized (this) {
      if (state == State.NEW || state == State.UNANSWERED) {
        limit = task;
        return;
      }
    }
    task.cancel();
  }

  /** Whether it is to be sent now: false if it timed out or was withdrawn before. */
  final synchronized boolean begin() {
    if (state != State.NEW) {
      return false;
    }
    state = State.UNANSWERED;
    return true;
  }

  final void send() {
    if (!begin()) {
      return;
    }
    try {
      Objects.requireNonNull(call(), "the store answered null").subscribe(this);
    } catch (Throwable e) {
      onError(e);
    }
  }

  /** Whether it was given up before it was sent; then it never is. */
  final boolean withdraw() {
    synchronized (this) {
      if (state != State.NEW) {
        return false;
      }
      end();
    }
    over(false);
    return true;
  }

  private void timedOut() {
    if (isUnanswered()) {
      locker.overdue(); // a call that waits for a connection ends by this, as unavailable
    }
    boolean wasSent;
    boolean isOver;
    synchronized (this) {
      wasSent = state == State.UNANSWERED;
      isOver = !wasSent || grace().isZero();
      if (wasSent) {
        state = isOver ? State.FORGOTTEN : State.TIMED_OUT;
      } else if (state == State.NEW) {
        end();
      } else {
        return;
      }
    }
    if (isOver) {
      over(wasSent);
    } else {
      waitLonger();
    }
    failed(locker.unanswered(reasonWhenUnanswered()));
  }

  private synchronized boolean isUnanswered() {
    return state == State.UNANSWERED;
  }

  private void waitLonger() {
    TimerWheel.Task task = locker.wheel.limit(grace(), this::forgotten);
    synchronized (this) {
      if (state == State.TIMED_OUT) {
        limit = task;
        return;
      }
    }
    task.cancel();
  }

  private void forgotten() {
    synchronized (this) {
      if (state != State.TIMED_OUT) {
        return;
      }
      state = State.FORGOTTEN;
    }
    over(true);
  }

  /** The state before, for the one that ends the call. */
  private synchronized State end() {
    State before = state;
    state = State.DONE;
    if (limit != null) {
      limit.cancel();
      limit = null;
    }
    return before;
  }

  /** The error as a failure of a store, also if the store signalled anything else. */
  static StoreFailure failure(Throwable e) {
    if (e instanceof StoreFailure failure) {
      return failure;
    }
    return new StoreFailure(
        StoreProblem.Reason.UNKNOWN_OUTCOME, false, "the store failed unexpectedly: " + e, e);
  }

  @Override
  public final Context currentContext() {
    return context;
  }

  @Override
  public final void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public final void onNext(T value) {
    State before = end();
    if (before == State.DONE) {
      return;
    }
    try {
      answered(Objects.requireNonNull(value, "the store answered null"));
    } catch (Throwable e) {
      LOG.error("an answer of the store could not be processed", e);
    }
    if (before != State.FORGOTTEN) {
      over(false);
    }
  }

  @Override
  public final void onError(Throwable e) {
    StoreFailure failure = failure(e);
    State before = end();
    if (before == State.UNANSWERED || before == State.TIMED_OUT) {
      over(failure.isInDoubt());
    }
    if (before == State.UNANSWERED) {
      failed(failure);
    }
  }

  @Override
  public final void onComplete() {
    if (isOpen()) {
      empty();
    }
  }

  final synchronized boolean isOpen() {
    return state != State.DONE;
  }
}
