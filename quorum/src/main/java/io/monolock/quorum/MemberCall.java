// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.store.StoreProblem.Reason.TIMEOUT;
import static io.monolock.store.StoreProblem.Reason.UNAVAILABLE;
import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * One call to one member. Its listener is notified of the answer or a failure within the time
 * limit. A call that is not sent by then never is. One that is sent is never cancelled: a later
 * answer is still received, until it is given up for lost, and even then.
 */
final class MemberCall<A> implements CoreSubscriber<A> {

  final Member member;
  private final Mono<A> request;
  private final QuorumSettings settings;
  private final Context context;
  private final Sinks.Empty<Void> outcome = Sinks.empty();

  private final List<Runnable> whenOver = new ArrayList<>(); // guarded by this
  private boolean begun; // guarded by this
  private boolean sent; // guarded by this
  private boolean dropped; // guarded by this
  private boolean notified; // guarded by this
  private boolean over; // guarded by this
  private @Nullable A answer; // guarded by this
  private @Nullable StoreFailure failure; // guarded by this
  private Disposable timer = Disposables.disposed(); // guarded by this

  MemberCall(Member member, Mono<A> request, QuorumSettings settings, ContextView context) {
    this.member = member;
    this.request = request;
    this.settings = settings;
    this.context = Context.of(context);
  }

  /** Begins the time limit of a call that is sent now or later. */
  void begin() {
    synchronized (this) {
      if (begun) {
        return;
      }
      begun = true;
    }
    arm(settings.memberTimeout(), this::timeOut);
  }

  /** Sends it, unless it has come to its end before. */
  void send() {
    synchronized (this) {
      if (over || dropped) {
        return;
      }
      sent = true;
    }
    begin();
    request.subscribe(this);
  }

  /** Completes, within the time limit, when there is an answer or a failure. */
  Mono<Void> outcome() {
    return outcome.asMono();
  }

  /** Ends it if it is not sent yet. */
  void drop(String why) {
    boolean isLate;
    synchronized (this) {
      isLate = sent || over;
      dropped |= !isLate;
    }
    if (!isLate) {
      end(null, member.failure(UNAVAILABLE, why, null));
    }
  }

  synchronized boolean isSent() {
    return sent;
  }

  /** The answer, if it has come, in time or not. */
  synchronized @Nullable A answer() {
    return answer;
  }

  /** Why there is no answer, in time or later; null if there is one. */
  synchronized @Nullable StoreFailure failure() {
    return answer == null ? failure : null;
  }

  /** Whether the call has come to its end: it was answered, has failed or is given up for lost. */
  synchronized boolean isOver() {
    return over;
  }

  /** Runs the action when the call has come to its end, and again if an answer comes later. */
  void whenOver(Runnable action) {
    synchronized (this) {
      whenOver.add(action);
      if (!over) {
        return;
      }
    }
    action.run();
  }

  private void arm(Duration delay, Runnable action) {
    Disposable timer = settings.after(delay.isNegative() ? Duration.ZERO : delay, action);
    synchronized (this) {
      if (!over) {
        this.timer = timer;
        return;
      }
    }
    timer.dispose();
  }

  private void timeOut() {
    String limit = settings.memberTimeout().toMillis() + " ms";
    drop("has not answered earlier calls within " + limit);
    notifyListener(member.failure(TIMEOUT, "has not answered within " + limit, null));
    arm(QuorumSettings.TIMEOUT.minus(settings.memberTimeout()), this::overdue);
  }

  private void overdue() {
    if (!isOver()) {
      arm(
          QuorumSettings.TIMEOUT,
          () -> end(null, member.failure(UNKNOWN_OUTCOME, "has never answered", null)));
      member.store.overdue(QuorumSettings.TIMEOUT);
    }
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
    outcome.tryEmitEmpty();
  }

  private void end(@Nullable A answer, @Nullable StoreFailure failure) {
    List<Runnable> actions;
    synchronized (this) {
      if (this.answer == null && answer != null) {
        this.answer = answer;
      } else if (over) {
        return;
      }
      over = true;
      timer.dispose();
      actions = List.copyOf(whenOver);
      if (failure != null && !notified) {
        this.failure = failure;
      }
    }
    actions.forEach(Runnable::run);
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
