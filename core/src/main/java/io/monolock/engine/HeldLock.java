// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockOptions;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * A caller's turn on a {@link Lease}: it begins, it may be lost or released, and it ends once. It
 * sends nothing; whatever it asks for is sent by the lease, and only as long as it has not ended.
 * It has ended before another one begins on the same lease.
 *
 * <p>Each confirmed lease counts from just before its command was sent, less 1 % of the ttl and 2
 * ms for clocks that run differently; the latest is the deadline. So the store never frees the keys
 * before this handle has stopped trusting them. Past its deadline a handle is lost for good: a late
 * positive answer does not bring it back. The deadline is compared with the clock at each question,
 * so that nothing depends on a timer that runs late.
 */
final class HeldLock implements Lock {

  private static final Logger LOG = LoggerFactory.getLogger(HeldLock.class);

  /** Who decides what happens when the locker closes. */
  interface Owner {
    /**
     * The locker is closing.
     *
     * @param now whether a body with finishOnCancel has to end, too
     */
    void end(boolean now);

    /** What is shown to callers while it owns the lock. */
    Optional<LockActivity> activity();
  }

  final LockerContext locker;
  final Lease lease;
  final LockKeys keys;
  final LockOptions options;
  final long id;
  final Context context;
  private final OptionalLong fencingToken;
  private final long grantedAt;
  private volatile long deadline; // guarded by the lease, as all below

  /** When the confirmation was asked for that is relied on now. */
  private volatile long confirmedAt;

  /** Null while it is held; written once. */
  private volatile @Nullable Reason ended;

  /** Null once it is delivered and has no scope: then it is released when the locker closes. */
  private volatile @Nullable Owner owner;

  private volatile @Nullable KeepAlive keepAlive;
  private volatile @Nullable Release release;
  private volatile TimerWheel.@Nullable Task deadlineTask;
  private @Nullable String shownToken;
  private volatile boolean isUsed;

  HeldLock(
      Lease lease,
      LockKeys keys,
      AcquireSubscription caller,
      OptionalLong fencingToken,
      long askedAt,
      long deadline) {
    this(lease, keys, caller.options, caller.id, caller.context, fencingToken, askedAt, deadline);
    this.owner = caller;
  }

  HeldLock(
      Lease lease,
      LockKeys keys,
      LockOptions options,
      long id,
      Context context,
      OptionalLong fencingToken,
      long askedAt,
      long deadline) {
    this.locker = lease.locker;
    this.lease = lease;
    this.keys = keys;
    this.options = options;
    this.id = id;
    this.context = context;
    this.fencingToken = fencingToken;
    this.confirmedAt = askedAt;
    this.deadline = deadline;
    this.grantedAt = locker.now();
  }

  static long deadline(long askedAt, Duration ttl) {
    return Nanos.after(askedAt, Grant.trustedFor(ttl));
  }

  /** The handle is about to be delivered: it watches its deadline. */
  void open() {
    owner = null;
    if (!options.holdAtLeast().isZero()) {
      lease.holdUntil(Nanos.after(grantedAt, options.holdAtLeast()));
    }
    watchDeadline();
    if (locker.leases.isClosed()) {
      beginRelease();
    }
  }

  void owner(Owner owner) {
    this.owner = owner;
  }

  /** The locker is closing. */
  void close(boolean now) {
    Owner owner = this.owner;
    if (owner != null) {
      owner.end(now);
    } else {
      beginRelease();
    }
  }

  private void watchDeadline() {
    deadlineTask = locker.wheel.at(deadline, this::atDeadline);
    if (ended != null) {
      stopWatching();
    }
  }

  private void stopWatching() {
    TimerWheel.Task task = deadlineTask;
    if (task != null) {
      task.cancel();
    }
  }

  private void atDeadline() {
    if (!loseIfExpired() && ended == null) {
      watchDeadline();
    }
  }

  /** Whether the handle is past its deadline, which ends it. */
  private boolean loseIfExpired() {
    if (locker.now() < deadline) {
      return false;
    }
    KeepAlive keepAlive = this.keepAlive;
    lose(keepAlive == null ? Reason.EXPIRED : keepAlive.reasonAtDeadline());
    return true;
  }

  /** True for the first call. */
  private boolean end(Reason reason) {
    synchronized (lease) {
      if (ended != null) {
        return false;
      }
      ended = reason;
      lease.ended(this);
      return true;
    }
  }

  /** Ends the handle and notifies its listeners, unless it had ended before. */
  void lose(Reason reason) {
    if (!end(reason)) {
      return;
    }
    if (!isUsed && reason == Reason.EXPIRED) {
      LOG.warn(
          "the lock on {} reached its deadline and was never extended, released or kept alive:"
              + " an operator lost it, or autoRefresh is missing; withLock avoids both",
          keys);
    }
    locker.observer.lost(id, keys(), reason);
    notifyEnded(reason);
    lease.lost(this);
  }

  private void notifyEnded(Reason reason) {
    stopWatching();
    KeepAlive keepAlive = this.keepAlive;
    if (keepAlive != null) {
      keepAlive.end(reason);
    }
  }

  /** A confirmed lease counts, unless the handle has ended or is past its deadline already. */
  boolean confirm(long askedAt, Duration ttl) {
    long confirmed = deadline(askedAt, ttl);
    if (loseIfExpired()) {
      return false;
    }
    synchronized (lease) {
      if (ended != null) {
        return false;
      }
      deadline = Math.max(deadline, confirmed);
      confirmedAt = Math.max(confirmedAt, askedAt);
      lease.troubled(false);
      return true;
    }
  }

  /** The store says that the keys are not ours; that counts if nothing later was confirmed. */
  void denied(long askedAt) {
    if (askedAt >= confirmedAt) {
      lose(Reason.TAKEN);
    }
  }

  boolean hasEnded() {
    return ended != null;
  }

  /** Whether it was released itself, not with another handle of its token. */
  boolean isReleased() {
    Release release = this.release;
    return release != null && !release.isNeedless();
  }

  long grantedAt() {
    return grantedAt;
  }

  long confirmedAt() {
    return confirmedAt;
  }

  long deadline() {
    return deadline;
  }

  /** Why this handle is not to be trusted any more, null as long as it is. */
  @Nullable LockLostException loss() {
    loseIfExpired();
    Reason reason = ended;
    if (reason == null) {
      return null;
    }
    KeepAlive keepAlive = this.keepAlive;
    return keepAlive == null ? new LockLostException(keys(), reason) : keepAlive.lost(reason);
  }

  /** Whether it ended in another way than by its release. */
  boolean isLost() {
    loseIfExpired();
    return ended != null && ended != Reason.RELEASED;
  }

  /** Made when first needed, as most handles are only released. */
  KeepAlive sharedKeepAlive() {
    isUsed = true;
    KeepAlive keepAlive;
    synchronized (lease) {
      if (this.keepAlive == null) {
        this.keepAlive = new KeepAlive(this);
      }
      keepAlive = this.keepAlive;
    }
    Reason reason = ended;
    if (reason != null) {
      keepAlive.end(reason);
    }
    return keepAlive;
  }

  // the end by release

  /** Ends the handle and frees the keys in the background; harmless when repeated. */
  void beginRelease() {
    release(false).begin();
  }

  /**
   * The same, and whether the keys were ours. It is heard before the next caller gets them, so that
   * callers who take turns stand in line again by the time of the next release.
   *
   * @param limit how long to wait for the outcome
   */
  Mono<Boolean> release(Duration limit) {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Boolean> subscriber) {
        Release release = HeldLock.this.release(false);
        try {
          release.outcome(limit).subscribe(subscriber);
        } finally {
          release.begin();
        }
      }
    };
  }

  /** Ends the handle; its release is still to begin. */
  private Release release(boolean isSilent) {
    Release release;
    List<HeldLock> others;
    synchronized (lease) {
      isUsed = true;
      if (this.release != null) {
        return this.release;
      }
      boolean isTrusted = locker.now() < deadline;
      boolean wasHeld = end(Reason.RELEASED) && isTrusted;
      List<HeldLock> ended;
      do {
        Lease present = isTokenKnown() ? locker.leases.present(lease) : lease;
        release = new Release(present, this, isSilent, wasHeld);
        ended = present.begin(release, lease);
      } while (ended == null);
      others = ended;
      this.release = release;
    }
    notifyEnded(Reason.RELEASED);
    for (HeldLock other : others) {
      locker.observer.lost(other.id, other.keys(), Reason.RELEASED);
      other.notifyEnded(Reason.RELEASED);
    }
    return release;
  }

  /** Whether user code may use the token again, after this lease, too. */
  private boolean isTokenKnown() {
    return !lease.isOurs || shownToken != null;
  }

  /** Another handle of the token releases the keys; called under the monitor of the lease. */
  void endWithAnother() {
    boolean unused = end(Reason.RELEASED);
    release = Release.needless(lease, this);
  }

  /** The caller does not take the lock: what no other one needs of it is freed. */
  void abandon(boolean isReported) {
    if (isReported) {
      locker.observer.abandoned(id, keys());
    }
    if (lease.isOurs) {
      release(true).begin();
    } else {
      giveUp();
    }
  }

  /** Nothing is released for the sake of this handle. */
  void giveUp() {
    if (end(Reason.RELEASED)) {
      lease.tidy();
    }
  }

  void released(boolean wasOurs, long begunAt) {
    locker.observer.released(id, keys(), Duration.ofNanos(begunAt - grantedAt), wasOurs);
  }

  Optional<LockActivity> activity() {
    Owner owner = this.owner;
    return owner != null ? owner.activity() : Optional.of(shown());
  }

  LockActivity shown() {
    Duration age = Duration.ofNanos(locker.now() - grantedAt);
    LockActivity.State state =
        release == null ? LockActivity.State.HELD : LockActivity.State.RELEASING;
    return new LockActivity(id, keys(), state, age, remaining());
  }

  // the API

  @Override
  public Set<String> keys() {
    return keys.asSet();
  }

  @Override
  public String token() {
    synchronized (lease) {
      if (shownToken == null) {
        if (ended == null && lease.isOurs) {
          lease.neverPassOn();
          locker.leases.tokenIsKnown(lease);
        }
        shownToken = ended == null || !lease.isOurs ? lease.token : locker.nextToken();
      }
      return shownToken;
    }
  }

  @Override
  public String metadata() {
    return options.metadata();
  }

  @Override
  public OptionalLong fencingToken() {
    return fencingToken;
  }

  @Override
  public Duration remaining() {
    long left = ended == null ? deadline - locker.now() : 0;
    return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
  }

  @Override
  public boolean isValid() {
    return ended == null && locker.now() < deadline;
  }

  @Override
  public Mono<Duration> ttl() {
    return locker.ask(
        keys,
        "ask for the ttl of",
        StoreProblem.Reason.TIMEOUT,
        () ->
            loss() != null ? Mono.just(Duration.ZERO) : locker.store.remaining(keys, lease.token));
  }

  @Override
  public Mono<Void> extend(Duration ttl) {
    return extend(keys, ttl);
  }

  @Override
  public Mono<Void> extend(Collection<String> keys, Duration ttl) {
    LockKeys some = LockKeys.of(keys);
    if (!keys().containsAll(some.asSet())) {
      throw new IllegalArgumentException(
          "keys to extend must be among those of the lock, " + keys() + ", was " + some);
    }
    return extend(some, ttl);
  }

  private Mono<Void> extend(LockKeys some, Duration ttl) {
    Duration whole = LockOptions.of(ttl).ttl();
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Void> subscriber) {
        isUsed = true;
        subscriber.onSubscribe(new ExtendSubscription(HeldLock.this, some, whole, subscriber));
      }
    };
  }

  @Override
  public Mono<Boolean> release() {
    return release(locker.commandTimeout);
  }

  @Override
  public <T> Mono<T> keepAlive() {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> subscriber) {
        sharedKeepAlive().subscribe(subscriber);
      }
    };
  }

  @Override
  public <T> Mono<T> whileHeld(Mono<T> body) {
    // the value comes with the end: an operator below may take it for that, and release the lock
    return whileHeldMany(body).singleOrEmpty();
  }

  @Override
  public <T> Flux<T> whileHeldMany(Publisher<T> body) {
    return new WhileHeld<>(this, Objects.requireNonNull(body, "body"));
  }

  @Override
  public String toString() {
    return "Lock[keys=%s, token=%s, remaining=%s]"
        .formatted(keys(), lease.token.substring(0, 4) + "...", remaining());
  }
}
