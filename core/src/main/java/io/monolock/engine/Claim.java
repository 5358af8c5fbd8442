// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.LockActivity;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * The attempts, the refreshes and the release of one token, until nothing of it is left in the
 * store: counts the calls that are unanswered, and cleans up.
 *
 * <h2>Nothing left behind</h2>
 *
 * <p>An attempt is never cancelled: its answer is processed even after the subscriber cancelled.
 * When a subscription ends without a lock, the keys that its attempts have taken, or may have
 * taken, are released. The release is not sent while an attempt is unanswered, as it might overtake
 * it, and once it has begun no attempt is made any more. An attempt whose connection broke can
 * still be on its way; then the release is repeated after a second and at half the ttl. An attempt
 * without an answer counts as failed one ttl after its timeout; a grant that comes after that is
 * released then.
 *
 * <p>No refresh is sent once the release has begun, and one that is being sent goes first. With
 * holdAtLeast the release also waits for the answer of a refresh under way, as it leaves keys
 * behind whose ttl a late refresh would lengthen.
 *
 * <p>A token that the user gave may hold the keys for another handle, too. So only a fresh grant is
 * released; when the outcome is in doubt, the keys are left to their ttl.
 */
final class Claim {

  private static final Logger LOG = LoggerFactory.getLogger(Claim.class);
  private static final Duration FIRST_REPEAT = Duration.ofSeconds(1);

  /** The present owner of the claim: its subscription, its handle or its scope. */
  interface Owner {
    /**
     * The locker is closing.
     *
     * @param now whether a body with finishOnCancel has to end, too
     */
    void end(boolean now);

    /** The release has ended. */
    default void released(boolean wasOurs) {}

    /** What is shown to callers; empty if the lock is neither held nor waited for. */
    default Optional<LockActivity> activity() {
      return Optional.empty();
    }
  }

  /** Called with the outcome of one attempt, on any thread. */
  interface GrantListener {
    /** The store's answer, however late, also after {@link #failed}. */
    void answered(Grant grant);

    /** The attempt failed or timed out; at most once. */
    void failed(StoreFailure failure);
  }

  final long id;
  final LockerContext locker;
  final LockKeys keys;
  final LockOptions options;
  final String token;
  final Context context;
  private volatile @Nullable Release release; // written under the monitor

  private volatile Owner owner;

  /** The line through which the keys are held, null when there was no need of one. */
  private volatile @Nullable WaitLine line;

  /** Attempts that have no answer yet, and are not older than their timeout and a ttl. */
  private int unanswered;

  /** Unanswered refreshes that a release must not overtake. */
  private int refreshes;

  private boolean granted;
  private boolean fresh;
  private boolean doubtful;
  private boolean givenUp;
  private boolean abandoned;
  private @Nullable Runnable whenAnswered;

  Claim(LockerContext locker, LockKeys keys, LockOptions options, Owner owner, Context context) {
    this(locker, keys, options, options.token().orElseGet(locker::nextToken), owner, context);
  }

  Claim(
      LockerContext locker,
      LockKeys keys,
      LockOptions options,
      String token,
      Owner owner,
      Context context) {
    this.id = locker.nextId();
    this.locker = locker;
    this.keys = keys;
    this.options = options;
    this.token = token;
    this.owner = owner;
    this.context = context;
  }

  /** The one release of this claim, made when first asked for. */
  Release release() {
    Release release = this.release;
    if (release == null) {
      synchronized (this) {
        release = this.release;
        if (release == null) {
          release = new Release(this);
          this.release = release;
        }
      }
    }
    return release;
  }

  boolean isReleased() {
    Release release = this.release;
    return release != null && release.hasBegun();
  }

  void owner(Owner owner) {
    this.owner = owner;
  }

  void end(boolean now) {
    owner.end(now);
  }

  Optional<LockActivity> activity() {
    return owner.activity();
  }

  /**
   * Asks for the keys.
   *
   * @param timeout after this time the attempt has failed for the listener, which a late grant
   *     still reaches
   */
  void acquire(Duration timeout, GrantListener listener) {
    boolean unused = take(timeout, this::acquire, listener);
  }

  private Mono<Grant> acquire() {
    return locker.store.acquire(keys, token, options.metadata(), options.ttl(), options.fenced());
  }

  /**
   * Takes the keys by the call of a hand-over, otherwise like {@link #acquire}.
   *
   * @return false if this claim was given up or released, and the call is not made
   */
  boolean take(Duration timeout, Supplier<Mono<Grant>> call, GrantListener listener) {
    return new AcquireCall(listener, call).begin(timeout);
  }

  /** The keys are held, and their release hands them to the first waiter in this line. */
  void holdsThrough(WaitLine line) {
    this.line = line;
  }

  /** The line of waiters for these keys in this locker, null when there is none. */
  @Nullable WaitLine line() {
    WaitLine line = this.line;
    return line != null && !line.isOver() ? line : locker.lines.find(keys);
  }

  /**
   * Asks to prolong the lease, unless the release has begun: then nothing is called.
   *
   * @param answered called with whether the keys are still ours, however late
   * @param failed called with a failure
   */
  void refresh(Duration ttl, Consumer<Boolean> answered, Consumer<StoreFailure> failed) {
    synchronized (this) {
      if (isReleased()) {
        return;
      }
      refreshes++;
    }
    AtomicBoolean over = new AtomicBoolean();
    new StoreCall<Boolean>(context) {
      @Override
      Mono<Boolean> call() {
        return locker.store.extend(keys, token, ttl);
      }

      @Override
      void answered(Boolean ours) {
        refreshed(over);
        answered.accept(ours);
      }

      @Override
      void failed(StoreFailure failure) {
        refreshed(over);
        failed.accept(failure);
      }
    }.send();
    if (options.holdAtLeast().isZero()) {
      refreshed(over);
    }
  }

  private void refreshed(AtomicBoolean over) {
    if (over.compareAndSet(false, true)) {
      synchronized (this) {
        refreshes = Math.max(0, refreshes - 1);
      }
      nextWhenAnswered().run();
    }
  }

  /** One attempt; its outcome is noted here before the listener is called. */
  private final class AcquireCall extends StoreCall<Grant> {

    private final GrantListener listener;
    private final Supplier<Mono<Grant>> call;
    private boolean failureReported; // guarded by the claim
    private boolean answered; // guarded by the claim
    private volatile TimerWheel.@Nullable Task timeout;

    AcquireCall(GrantListener listener, Supplier<Mono<Grant>> call) {
      super(context);
      this.listener = listener;
      this.call = call;
    }

    @Override
    Mono<Grant> call() {
      return call.get();
    }

    boolean begin(Duration timeout) {
      synchronized (Claim.this) {
        if (givenUp || isReleased()) {
          return false;
        }
        unanswered++;
      }
      this.timeout = locker.wheel.after(timeout, this::timedOut);
      send();
      return true;
    }

    @Override
    void answered(Grant grant) {
      if (grant instanceof Grant.Granted given) {
        granted(given.fresh());
      }
      boolean first = markAnswered(false);
      listener.answered(grant);
      if (first) {
        afterwards();
      } else if (grant instanceof Grant.Granted given) {
        grantedTooLate(given.fresh());
      }
    }

    @Override
    void failed(StoreFailure failure) {
      boolean first = markAnswered(failure.isInDoubt());
      reportFailure(failure);
      if (first) {
        afterwards();
      }
    }

    /** Fails for the listener; the claim goes on waiting for the answer for one more ttl. */
    private void timedOut() {
      timeout = locker.wheel.after(options.ttl(), () -> failed(locker.unanswered(UNKNOWN_OUTCOME)));
      if (isAnswered()) {
        cancelTimeout();
      }
      reportFailure(locker.unanswered(UNKNOWN_OUTCOME));
      locker.overdue();
    }

    private boolean markAnswered(boolean inDoubt) {
      cancelTimeout();
      synchronized (Claim.this) {
        if (answered) {
          return false;
        }
        answered = true;
        doubtful |= inDoubt;
        unanswered--;
        return true;
      }
    }

    private boolean isAnswered() {
      synchronized (Claim.this) {
        return answered;
      }
    }

    private void cancelTimeout() {
      TimerWheel.Task timeout = this.timeout;
      if (timeout != null) {
        timeout.cancel();
      }
    }

    private void reportFailure(StoreFailure failure) {
      synchronized (Claim.this) {
        if (failureReported) {
          return;
        }
        failureReported = true;
      }
      listener.failed(failure);
    }

    private void afterwards() {
      nextWhenAnswered().run();
      settleIfGivenUp();
    }
  }

  private synchronized void granted(boolean fresh) {
    granted = true;
    this.fresh |= fresh;
  }

  private synchronized Runnable nextWhenAnswered() {
    Runnable next = whenAnswered;
    if (unanswered > 0 || refreshes > 0 || next == null) {
      return () -> {};
    }
    whenAnswered = null;
    return next;
  }

  /**
   * Runs the action as soon as no attempt is unanswered and no refresh to be waited for; once, for
   * the release. A refresh without an answer is waited for no longer than a command may take.
   */
  void whenAnswered(Runnable action) {
    synchronized (this) {
      if (refreshes > 0) {
        locker.wheel.after(locker.commandTimeout, this::forgetRefreshes);
      }
      if (unanswered > 0 || refreshes > 0) {
        whenAnswered = action;
        return;
      }
    }
    action.run();
  }

  private void forgetRefreshes() {
    synchronized (this) {
      refreshes = 0;
    }
    nextWhenAnswered().run();
  }

  /** The subscription has ended without delivering a lock. */
  void giveUp() {
    synchronized (this) {
      givenUp = true;
    }
    settleIfGivenUp();
  }

  /** The handle is lost; what an older attempt may still take is released. */
  void lost() {
    synchronized (this) {
      abandoned = true;
      givenUp = true;
      if (unanswered > 0) {
        return;
      }
    }
    settled();
  }

  /** The attempt no longer counted as unanswered, so no release has waited for it. */
  private void grantedTooLate(boolean fresh) {
    if (!isReleased()) {
      settleIfGivenUp();
    } else if (fresh || isOurToken()) {
      releaseAgain();
    }
  }

  private void settleIfGivenUp() {
    boolean isNewlyAbandoned;
    boolean toFree;
    synchronized (this) {
      if (!givenUp || unanswered > 0) {
        return;
      }
      isNewlyAbandoned = granted && !abandoned;
      abandoned = granted;
      toFree = isOurToken() ? granted || doubtful : fresh;
    }
    if (isNewlyAbandoned) {
      locker.observer.abandoned(id, keys.asSet());
    }
    if (toFree) {
      release().begin(locker.now() + options.ttl().toNanos(), () -> Duration.ZERO);
    } else {
      settled();
    }
  }

  private boolean isOurToken() {
    return options.token().isEmpty();
  }

  /** Ends a release that is unanswered: its outcome is unknown. */
  void abandonRelease() {
    Release release = this.release;
    if (release != null) {
      release.giveUp();
    }
  }

  /** The release has ended. */
  void released(boolean wasOurs) {
    owner.released(wasOurs);
    settled();
    repeatReleaseIfDoubtful();
  }

  /** Nothing of this claim is left in the store, or what is left ends by its ttl. */
  void settled() {
    locker.claims.remove(this);
    WaitLine line = hadKeys() ? line() : null;
    if (line != null) {
      line.left(this);
    }
  }

  private synchronized boolean hadKeys() {
    return granted;
  }

  /** Frees what an attempt takes that was replayed or delayed on a broken connection. */
  private void repeatReleaseIfDoubtful() {
    synchronized (this) {
      if (!doubtful || !isOurToken()) {
        return;
      }
    }
    locker.wheel.after(FIRST_REPEAT, this::releaseAgain);
    locker.wheel.after(options.ttl().dividedBy(2), this::releaseAgain);
  }

  private void releaseAgain() {
    new StoreCall<Boolean>(context) {
      @Override
      Mono<Boolean> call() {
        return locker.store.release(keys, token, Duration.ZERO);
      }

      @Override
      void answered(Boolean wasOurs) {
        if (wasOurs) {
          LOG.debug("freed {}, taken by a command that was delayed on its way", keys);
        }
      }

      @Override
      void failed(StoreFailure failure) {
        LOG.debug("could not repeat the release of {}", keys, failure);
      }
    }.send();
  }

  LockStoreException failure(String operation, StoreFailure failure) {
    return locker.failed(keys, operation, failure);
  }
}
