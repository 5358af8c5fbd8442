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
 * One call to one member. It is never cancelled: whoever asked hears within the limit that there is
 * an answer or none, and the answer is listened for until it comes, or is given up for lost.
 */
final class MemberCall<A> implements CoreSubscriber<A> {

  /** Whoever asks: told once, within the limit. */
  interface Asker<A> {
    void heard(MemberCall<A> question);
  }

  final Member member;
  private final Mono<A> call;
  private final QuorumSettings settings;
  private final Context context;
  private final Asker<A> asker;

  private boolean told; // guarded by this
  private boolean over; // guarded by this
  private @Nullable A answer; // guarded by this
  private @Nullable StoreFailure failure; // guarded by this
  private @Nullable Runnable whenOver; // guarded by this
  private Disposable timer = Disposables.disposed(); // guarded by this

  MemberCall(
      Member member, Mono<A> call, QuorumSettings settings, ContextView context, Asker<A> asker) {
    this.member = member;
    this.call = call;
    this.settings = settings;
    this.context = Context.of(context);
    this.asker = asker;
  }

  void ask(Duration limit) {
    arm(limit, () -> late(limit));
    call.subscribe(this);
  }

  /** The answer, if it has come, in time or not. */
  synchronized @Nullable A answer() {
    return answer;
  }

  /** Why there is no answer, if there is none or was none in time. */
  synchronized @Nullable StoreFailure failure() {
    return failure;
  }

  /** Whether nothing more will come of it, as far as anybody can know. */
  synchronized boolean isOver() {
    return over;
  }

  /** Runs the action as soon as nothing more will come of it; one action at most. */
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

  private void late(Duration limit) {
    tell(member.failure(TIMEOUT, "has not answered within " + limit.toMillis() + " ms", null));
    Duration timeout = QuorumSettings.TIMEOUT.minus(limit);
    arm(timeout.isNegative() ? Duration.ZERO : timeout, this::overdue);
  }

  private void overdue() {
    if (!isOver()) {
      arm(QuorumSettings.TIMEOUT, () -> end(null, lost()));
      member.store.overdue(QuorumSettings.TIMEOUT);
    }
  }

  private StoreFailure lost() {
    return member.failure(UNKNOWN_OUTCOME, "has never answered", null);
  }

  private void tell(@Nullable StoreFailure failure) {
    synchronized (this) {
      if (told) {
        return;
      }
      told = true;
      if (failure != null) {
        this.failure = failure;
      }
    }
    asker.heard(this);
  }

  private synchronized void fail(StoreFailure failure) {
    if (!told) {
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
    tell(null);
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
