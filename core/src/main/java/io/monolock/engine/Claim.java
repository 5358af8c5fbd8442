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
 * What one token asks of the store, from its first attempt until nothing of it is left there.
 *
 * <h2>Nothing left behind</h2>
 *
 * <p>An attempt is never cancelled: its answer is heard even when the subscriber has long gone.
 * When the acquisition ended without a lock, what an attempt has taken, or may have taken, is
 * released. The release is not sent while an attempt is unanswered, as it might overtake it, and
 * once it has begun no attempt is made any more. An attempt whose connection broke can still be on
 * its way; then the release is repeated after a second and at half the ttl. One that was given up
 * for lost, as its ttl is over, and is granted after all, is released then.
 *
 * <p>Nor does a release overtake a refresh: none is sent after it. With holdAtLeast it also waits
 * for the answer, as it leaves keys behind that a late refresh would lengthen.
 *
 * <p>A token that the user gave may hold the keys for another handle, too. So only what was freshly
 * taken is released; when it is in doubt, the keys are left to their ttl.
 */
final class Claim {

  private static final Logger LOG = LoggerFactory.getLogger(Claim.class);
  private static final Duration FIRST_REPEAT = Duration.ofSeconds(1);

  /** Whoever stands for the claim at the moment: its acquisition, its handle or its scope. */
  interface Owner {
    /**
     * The locker is closing.
     *
     * @param now whether even those that may finish first have to end
     */
    void end(boolean now);

    /** The release has ended. */
    default void released(boolean wasOurs) {}

    /** What it is about, empty if nobody has or awaits anything. */
    default Optional<LockActivity> activity() {
      return Optional.empty();
    }
  }

  /** Whoever asks for the keys. */
  interface Asker {
    /** Told the answer, however late. */
    void answered(Grant grant);

    /** Told of a failure, at most once. */
    void failed(StoreFailure failure);
  }

  final long id;
  final LockerContext runtime;
  final LockKeys keys;
  final LockOptions options;
  final String token;
  final Context context;
  private volatile @Nullable Release release; // written under the monitor

  private volatile Owner owner;

  /** Through which the keys are held, null when nobody of this locker was to stand behind. */
  private volatile @Nullable WaitLine line;

  private int unanswered;

  /** Refreshes that a release must not overtake. */
  private int refreshes;

  private boolean granted;
  private boolean fresh;
  private boolean doubtful;
  private boolean givenUp;
  private boolean abandoned;
  private @Nullable Runnable whenAnswered;

  Claim(LockerContext runtime, LockKeys keys, LockOptions options, Owner owner, Context context) {
    this(runtime, keys, options, options.token().orElseGet(Tokens::next), owner, context);
  }

  Claim(
      LockerContext runtime,
      LockKeys keys,
      LockOptions options,
      String token,
      Owner owner,
      Context context) {
    this.id = runtime.nextId();
    this.runtime = runtime;
    this.keys = keys;
    this.options = options;
    this.token = token;
    this.owner = owner;
    this.context = context;
  }

  /** What frees the keys, made for the first one who wants that. */
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
   * @param timeout after this time the attempt counts as failed for whoever asked, though a late
   *     grant is still told
   */
  void acquire(Duration timeout, Asker asker) {
    boolean unused = take(timeout, this::acquire, asker);
  }

  private Mono<Grant> acquire() {
    return runtime.store.acquire(keys, token, options.metadata(), options.ttl(), options.fenced());
  }

  /**
   * Takes the keys by a call of somebody else's, and else like {@link #acquire}.
   *
   * @return false if they are not wanted any more, and the call is not made
   */
  boolean take(Duration timeout, Supplier<Mono<Grant>> call, Asker asker) {
    return new Attempt(asker, call).begin(timeout);
  }

  /** The keys are held now, and when they are freed the first one in this line is next. */
  void holdsThrough(WaitLine line) {
    this.line = line;
  }

  /** Whoever is next in this locker, null when nobody waits. */
  @Nullable WaitLine line() {
    WaitLine line = this.line;
    return line != null && !line.isOver() ? line : runtime.lines.find(keys);
  }

  /**
   * Asks to prolong the lease, unless the release has begun: then neither is told.
   *
   * @param answered told whether the keys are still ours, however late
   * @param failed told of a failure
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
        return runtime.store.extend(keys, token, ttl);
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

  /** One command to acquire, heard here first and then by whoever asked. */
  private final class Attempt extends StoreCall<Grant> {

    private final Asker asker;
    private final Supplier<Mono<Grant>> call;
    private boolean toldOfFailure; // guarded by the claim
    private boolean heard; // guarded by the claim
    private volatile TimerWheel.@Nullable Task timeout;

    Attempt(Asker asker, Supplier<Mono<Grant>> call) {
      super(context);
      this.asker = asker;
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
      this.timeout = runtime.wheel.after(timeout, this::unanswered);
      send();
      return true;
    }

    @Override
    void answered(Grant grant) {
      if (grant instanceof Grant.Granted given) {
        granted(given.fresh());
      }
      boolean first = heard(false);
      asker.answered(grant);
      if (first) {
        afterwards();
      } else if (grant instanceof Grant.Granted given) {
        grantedTooLate(given.fresh());
      }
    }

    @Override
    void failed(StoreFailure failure) {
      boolean first = heard(failure.isInDoubt());
      tellFailed(failure);
      if (first) {
        afterwards();
      }
    }

    /** Nobody waits for the answer any longer, but it is listened for until the ttl is over. */
    private void unanswered() {
      timeout =
          runtime.wheel.after(options.ttl(), () -> failed(runtime.unanswered(UNKNOWN_OUTCOME)));
      if (isHeard()) {
        cancelPatience();
      }
      tellFailed(runtime.unanswered(UNKNOWN_OUTCOME));
      runtime.overdue();
    }

    private boolean heard(boolean inDoubt) {
      cancelPatience();
      synchronized (Claim.this) {
        if (heard) {
          return false;
        }
        heard = true;
        doubtful |= inDoubt;
        unanswered--;
        return true;
      }
    }

    private boolean isHeard() {
      synchronized (Claim.this) {
        return heard;
      }
    }

    private void cancelPatience() {
      TimerWheel.Task timeout = this.timeout;
      if (timeout != null) {
        timeout.cancel();
      }
    }

    private void tellFailed(StoreFailure failure) {
      synchronized (Claim.this) {
        if (toldOfFailure) {
          return;
        }
        toldOfFailure = true;
      }
      asker.failed(failure);
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
        runtime.wheel.after(runtime.commandTimeout, this::forgetRefreshes);
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

  /** The acquisition is over without a lock that anybody has. */
  void giveUp() {
    synchronized (this) {
      givenUp = true;
    }
    settleIfGivenUp();
  }

  /** The handle is lost; what an older attempt may still take nobody wants any more. */
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

  /** The attempt had been given up for lost, so no release has waited for it. */
  private void grantedTooLate(boolean fresh) {
    if (!isReleased()) {
      settleIfGivenUp();
    } else if (fresh || isOurToken()) {
      releaseAgain();
    }
  }

  private void settleIfGivenUp() {
    boolean isNews;
    boolean toFree;
    synchronized (this) {
      if (!givenUp || unanswered > 0) {
        return;
      }
      isNews = granted && !abandoned;
      abandoned = granted;
      toFree = isOurToken() ? granted || doubtful : fresh;
    }
    if (isNews) {
      runtime.observer.abandoned(id, keys.asSet());
    }
    if (toFree) {
      release().begin(runtime.now() + options.ttl().toNanos(), () -> Duration.ZERO);
    } else {
      settled();
    }
  }

  private boolean isOurToken() {
    return options.token().isEmpty();
  }

  /** Whoever waits for the end of a release is told that it is not known. */
  void forsake() {
    Release release = this.release;
    if (release != null) {
      release.forsake();
    }
  }

  /** The release has ended. */
  void released(boolean wasOurs) {
    owner.released(wasOurs);
    settled();
    repeatReleaseIfDoubtful();
  }

  /** Nothing of this claim is left in the store, or all that is left ends by itself. */
  void settled() {
    runtime.claims.remove(this);
    WaitLine line = hadKeys() ? line() : null;
    if (line != null) {
      line.left(this);
    }
  }

  private synchronized boolean hadKeys() {
    return granted;
  }

  /** Catches an attempt that was replayed or delayed on a broken connection. */
  private void repeatReleaseIfDoubtful() {
    synchronized (this) {
      if (!doubtful || !isOurToken()) {
        return;
      }
    }
    runtime.wheel.after(FIRST_REPEAT, this::releaseAgain);
    runtime.wheel.after(options.ttl().dividedBy(2), this::releaseAgain);
  }

  private void releaseAgain() {
    new StoreCall<Boolean>(context) {
      @Override
      Mono<Boolean> call() {
        return runtime.store.release(keys, token, Duration.ZERO);
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
    return runtime.failed(keys, operation, failure);
  }
}
