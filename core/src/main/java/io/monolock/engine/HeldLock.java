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

/**
 * The user's handle of a granted claim: knows its deadline, and ends once.
 *
 * <h2>The deadline</h2>
 *
 * <p>Each confirmed lease counts from just before its command was sent, less 1 % of the ttl and 2
 * ms for clocks that run differently; the latest is the deadline. So the store never frees the keys
 * before this handle has stopped trusting them. Past its deadline a handle is lost for good: a late
 * positive answer does not bring it back.
 *
 * <h2>How it ends</h2>
 *
 * <p>Exactly once, for the first reason that comes: released by its owner, expired at the deadline,
 * or taken, when the store says so. {@code ended} holds that reason. The deadline is checked on the
 * clock at each question, so that nothing depends on a timer that runs late.
 */
final class HeldLock implements Lock, Claim.Owner {

  private static final Logger LOG = LoggerFactory.getLogger(HeldLock.class);

  private final Claim claim;
  private final OptionalLong fencingToken;
  private final long askedAt;
  private final long grantedAt;
  private volatile long deadline; // written under the monitor

  /** When the keys end by themselves, if every extension that was asked for took effect. */
  private volatile long keysEnd; // written under the monitor

  /** Null while it is held; written once. */
  private volatile @Nullable Reason ended; // written under the monitor

  private volatile @Nullable KeepAlive keepAlive; // written under the monitor
  private volatile boolean used;
  private volatile TimerWheel.@Nullable Task deadlineTask;

  HeldLock(Claim claim, OptionalLong fencingToken, long askedAt) {
    this.claim = claim;
    this.fencingToken = fencingToken;
    this.askedAt = askedAt;
    this.grantedAt = claim.locker.now();
    this.deadline = deadline(askedAt, claim.options.ttl());
    this.keysEnd = askedAt + claim.options.ttl().toNanos();
  }

  private static long deadline(long askedAt, Duration ttl) {
    return askedAt + Grant.trustedFor(ttl).toNanos();
  }

  /** The handle is about to be delivered: it owns the claim, and watches its deadline. */
  void open() {
    claim.owner(this);
    watchDeadline();
    if (claim.locker.claims.isClosed()) {
      beginRelease();
    }
  }

  private void watchDeadline() {
    deadlineTask = claim.locker.wheel.at(deadline, this::atDeadline);
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
    if (claim.locker.now() < deadline) {
      return false;
    }
    KeepAlive keepAlive = this.keepAlive;
    lose(keepAlive == null ? Reason.EXPIRED : keepAlive.reasonAtDeadline());
    return true;
  }

  /** True for the first call. */
  private synchronized boolean end(Reason reason) {
    if (ended != null) {
      return false;
    }
    ended = reason;
    return true;
  }

  /** Ends the handle and notifies its listeners, unless it had ended before. */
  void lose(Reason reason) {
    if (!end(reason)) {
      return;
    }
    stopWatching();
    if (!used && reason == Reason.EXPIRED) {
      LOG.warn(
          "the lock on {} reached its deadline and was never extended, released or kept alive:"
              + " an operator lost it, or autoRefresh is missing; withLock avoids both",
          claim.keys);
    }
    claim.locker.observer.lost(claim.id, keys(), reason);
    endKeepAlive(reason);
    claim.lost();
  }

  /** A confirmed lease counts, unless the handle has ended or is past its deadline already. */
  boolean confirm(long askedAt, Duration ttl) {
    long confirmed = deadline(askedAt, ttl);
    if (loseIfExpired()) {
      return false;
    }
    synchronized (this) {
      if (ended != null) {
        return false;
      }
      deadline = Math.max(deadline, confirmed);
      return true;
    }
  }

  /** An extension is about to be asked for. */
  synchronized void asked(long askedAt, Duration ttl) {
    keysEnd = Math.max(keysEnd, askedAt + ttl.toNanos());
  }

  long grantedAt() {
    return grantedAt;
  }

  /** Why this handle is not to be trusted any more, null as long as it is. */
  @Nullable LockLostException loss() {
    loseIfExpired();
    Reason reason = ended;
    return reason == null ? null : new LockLostException(keys(), reason);
  }

  /** Made when first needed, as most handles are only released. */
  KeepAlive sharedKeepAlive() {
    used = true;
    KeepAlive keepAlive;
    synchronized (this) {
      if (this.keepAlive == null) {
        this.keepAlive = new KeepAlive(this, claim, askedAt);
      }
      keepAlive = this.keepAlive;
    }
    Reason reason = ended;
    if (reason != null) {
      keepAlive.end(reason);
    }
    return keepAlive;
  }

  private void endKeepAlive(Reason reason) {
    KeepAlive keepAlive = this.keepAlive;
    if (keepAlive != null) {
      keepAlive.end(reason);
    }
  }

  Claim claim() {
    return claim;
  }

  @Override
  public Set<String> keys() {
    return claim.keys.asSet();
  }

  @Override
  public String token() {
    return claim.token;
  }

  @Override
  public String metadata() {
    return claim.options.metadata();
  }

  @Override
  public OptionalLong fencingToken() {
    return fencingToken;
  }

  @Override
  public Duration remaining() {
    long left = ended == null ? deadline - claim.locker.now() : 0;
    return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
  }

  @Override
  public boolean isValid() {
    return ended == null && claim.locker.now() < deadline;
  }

  @Override
  public Mono<Duration> ttl() {
    return Mono.defer(
        () ->
            loss() != null
                ? Mono.just(Duration.ZERO).publishOn(claim.locker.publishOn)
                : claim.locker.ask(
                    claim.keys,
                    "ask for the ttl of",
                    StoreProblem.Reason.TIMEOUT,
                    () -> claim.locker.store.remaining(claim.keys, claim.token)));
  }

  @Override
  public Mono<Void> extend(Duration ttl) {
    return extend(claim.keys, ttl);
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

  private Mono<Void> extend(LockKeys keys, Duration ttl) {
    Duration whole = LockOptions.of(ttl).ttl();
    return Mono.defer(() -> extendNow(keys, whole));
  }

  private Mono<Void> extendNow(LockKeys keys, Duration ttl) {
    used = true;
    LockLostException loss = loss();
    if (loss != null) {
      return Mono.<Void>error(loss).publishOn(claim.locker.publishOn);
    }
    long askedAt = claim.locker.now();
    asked(askedAt, ttl);
    return claim.locker.ask(
        claim.keys,
        "extend",
        StoreProblem.Reason.UNKNOWN_OUTCOME,
        () ->
            claim
                .locker
                .store
                .extend(keys, claim.token, ttl)
                .timeout(claim.locker.wheel.delay(remaining()), Mono.defer(this::lossOrNothing))
                .flatMap(ours -> extended(ours, keys, askedAt, ttl)));
  }

  /** An extension that is unanswered at the deadline fails, unless refreshes went through. */
  private Mono<Boolean> lossOrNothing() {
    LockLostException loss = loss();
    return loss == null ? Mono.never() : Mono.error(loss);
  }

  /** Counts the answer before it hops to the users' scheduler, which may be busy. */
  private Mono<Void> extended(boolean ours, LockKeys keys, long askedAt, Duration ttl) {
    if (!ours) {
      lose(Reason.TAKEN);
    } else if (keys.equals(claim.keys)) {
      confirm(askedAt, ttl);
    }
    LockLostException loss = loss();
    return loss == null ? Mono.empty() : Mono.error(loss);
  }

  @Override
  public Mono<Boolean> release() {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Boolean> subscriber) {
        beginRelease();
        claim.release().outcome(claim.locker.commandTimeout).subscribe(subscriber);
      }
    };
  }

  /** Ends the handle and frees the keys in the background; harmless when repeated. */
  void beginRelease() {
    used = true;
    if (end(Reason.RELEASED)) {
      stopWatching();
      endKeepAlive(Reason.RELEASED);
    }
    claim.release().begin(keysEnd, this::keepFor);
  }

  private Duration keepFor() {
    long left = grantedAt + claim.options.holdAtLeast().toNanos() - claim.locker.now() + 999_999;
    return left < 1_000_000 ? Duration.ZERO : Duration.ofMillis(left / 1_000_000);
  }

  @Override
  public void released(boolean wasOurs) {
    Duration held = Duration.ofNanos(claim.release().begunAt() - grantedAt);
    claim.locker.observer.released(claim.id, keys(), held, wasOurs);
  }

  @Override
  public void end(boolean now) {
    beginRelease();
  }

  @Override
  public Optional<LockActivity> activity() {
    Duration age = Duration.ofNanos(claim.locker.now() - grantedAt);
    LockActivity.State state =
        claim.isReleased() ? LockActivity.State.RELEASING : LockActivity.State.HELD;
    return Optional.of(new LockActivity(claim.id, keys(), state, age, remaining()));
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
        .formatted(keys(), token().substring(0, 4) + "...", remaining());
  }
}
