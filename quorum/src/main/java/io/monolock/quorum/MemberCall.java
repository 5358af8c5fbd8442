// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.store.StoreProblem.Reason.TIMEOUT;
import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.store.StoreFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * One call to one member. It is never cancelled: its listener is notified of the answer or a
 * failure within the time limit, and a later answer is still received, until it is given up for
 * lost.
 */
final class MemberCall<A> implements CoreSubscriber<A> {

  /** Notified once, within the time limit, of the answer or the failure. */
  interface OutcomeListener<A> {
    void onOutcome(MemberCall<A> call);
  }

  final Member member;
  private final Mono<A> request;
  private final QuorumSettings settings;
  private final Context context;
  private final OutcomeListener<A> listener;

  private boolean notified; // guarded by this
  private boolean over; // guarded by this
  private @Nullable A answer; // guarded by this
  private @Nullable StoreFailure failure; // guarded by this
  private @Nullable Runnable whenOver; // guarded by this
  private Disposable timer = Disposables.disposed(); // guarded by this

  MemberCall(
      Member member,
      Mono<A> request,
      QuorumSettings settings,
      ContextView context,
      OutcomeListener<A> listener) {
    this.member = member;
    this.request = request;
    this.settings = settings;
    this.context = Context.of(context);
    this.listener = listener;
  }

  void send(Duration limit) {
    arm(limit, () -> timeOut(limit));
    request.subscribe(this);
  }

  /** The answer, if it has come, in time or not. */
  synchronized @Nullable A answer() {
    return answer;
  }

  /** Why there is no answer, or was none in time; null if neither. */
  synchronized @Nullable StoreFailure failure() {
    return failure;
  }

  /** Whether the call has come to its end: it was answered, has failed or is given up for lost. */
  synchronized boolean isOver() {
    return over;
  }

  /** Runs the action when the call has come to its end; at most one action. */
  void whenOver(Runnable action) {
    synchronized (this) {
      if (!over) {
        whenOver = action;
        return;
      }
    }
    action.run();
  }

  private void arm(Duration delay, Runnable action) {
    Disposable timer = settings.after(delay, action);
    boolean superfluous;
    synchronized (this) {
      superfluous = over;
      if (!superfluous) {
        this.timer = timer;
      }
    }
    if (superfluous) {
      timer.dispose();
    }
  }

  private void timeOut(Duration limit) {
    notifyListener(
        member.failure(TIMEOUT, "has not answered within " + limit.toMillis() + " ms", null));
    Duration timeout = QuorumSettings.TIMEOUT.minus(limit);
    arm(timeout.isNegative() ? Duration.ZERO : timeout, this::overdue);
  }

  private void overdue() {
    if (!isOver()) {
      arm(QuorumSettings.TIMEOUT, () -> end(null, lostForGood()));
      member.store.overdue(QuorumSettings.TIMEOUT);
    }
  }

  private StoreFailure lostForGood() {
    return member.failure(UNKNOWN_OUTCOME, "has never answered", null);
  }

  private void notifyListener(@Nullable StoreFailure failure) {
    synchronized (this) {
      if (notified) {
        return;
      }
      notified = true;
      if (failure != null) {
        this.failure = failure;
      }
    }
    listener.onOutcome(this);
  }

  private synchronized void fail(StoreFailure failure) {
    if (!notified) {
      this.failure = failure;
    }
  }

  private void end(@Nullable A answer, @Nullable StoreFailure failure) {
    Runnable action;
    synchronized (this) {
      if (this.answer == null && answer != null) {
        this.answer = answer;
      } else if (over) {
        return;
      }
      over = true;
      timer.dispose();
      action = whenOver;
    }
    if (failure != null) {
      fail(failure);
    }
    if (action != null) {
      action.run();
    }
    notifyListener(null);
  }

  @Override
  public Context currentContext() {
    return context;
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(A answer) {
    end(answer, null);
  }

  @Override
  public void onError(Throwable e) {
    StoreFailure failure =
        e instanceof StoreFailure known
            ? known
            : member.failure(UNKNOWN_OUTCOME, "failed unexpectedly: " + e, e);
    end(null, failure);
  }

  @Override
  public void onComplete() {
    end(null, member.failure(UNKNOWN_OUTCOME, "has completed a call without an answer", null));
  }
}
