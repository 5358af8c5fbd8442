// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * What one token has at one member. All calls of the token there, but those that only read, are
 * made by this object.
 *
 * <h2>In order</h2>
 *
 * <p>One call after the other: the next one is sent when the last one was answered, has failed or
 * is given up for lost. So nothing relies on the order of a connection, and a release frees what an
 * acquisition before it is granted, however late, and whether or not the quorum needed that grant.
 * A call that waits for its turn is never sent once its limit is over, a newer one of its kind has
 * come, or its keys are to be released. An extension behind a silent acquisition can thereby lose a
 * lock of a short ttl at this member.
 *
 * <h2>Until nothing is left</h2>
 *
 * <p>Keys that are to be released are owed until the member has confirmed it, refuses for good, or
 * they have expired. {@link ReleaseRetries} says when a member that fails is asked again. While
 * keys are owed they are not acquired again. An acquisition that failed in doubt may take effect
 * after the release; so the release is then repeated, after a second and at half the ttl.
 *
 * <p>A release that is repeated says whether it was this object that freed the keys.
 */
final class MemberLease {

  /** What a call does. */
  enum Kind {
    ACQUIRE,
    EXTEND,
    FENCE,
    RELEASE
  }

  private static final Duration SOON = Duration.ofSeconds(1);

  private final Member member;
  private final String token;
  private final QuorumSettings settings;
  private final Runnable whenIdle;

  // all guarded by this
  private final Deque<Entry> unsent = new ArrayDeque<>();
  private @Nullable Entry underWay;
  private final Map<LockKeys, Owed> owed = new LinkedHashMap<>();
  private final Map<LockKeys, Taken> taken = new LinkedHashMap<>();
  private final Set<LockKeys> freed = new HashSet<>();
  private long entries;
  private long lastAcquisition;
  private long lastRelease;
  private int repetitions;

  /**
   * A call in its place.
   *
   * @param number its place, from 1 on
   * @param life how long keys live at most after it
   */
  private record Entry(Kind kind, LockKeys keys, Duration life, MemberCall<?> call, long number) {}

  /**
   * Keys that are to be released.
   *
   * @param keepUntil when to free them, at once if that has passed
   * @param until when they have expired
   * @param isDue whether the release is to be sent as soon as no other call is under way
   */
  private record Owed(long keepUntil, long until, boolean isDue, ContextView context) {

    Owed due(boolean isDue) {
      return new Owed(keepUntil, until, isDue, context);
    }
  }

  /** Keys that were granted, or may have been. */
  private record Taken(Duration life, boolean isInDoubt) {}

  MemberLease(Member member, String token, QuorumSettings settings, Runnable whenIdle) {
    this.member = member;
    this.token = token;
    this.settings = settings;
    this.whenIdle = whenIdle;
  }

  /** Sends the call when its turn has come. */
  void enter(Kind kind, LockKeys keys, Duration life, MemberCall<?> call) {
    enter(kind, keys, life, call, Long.MAX_VALUE);
  }

  /** Writes keys that the member has lost, unless they were to be released since then. */
  void restore(LockKeys keys, Duration life, MemberCall<?> call, long since) {
    enter(Kind.ACQUIRE, keys, life, call, since);
  }

  private void enter(
      Kind kind, LockKeys keys, Duration life, MemberCall<?> call, long unlessReleasedSince) {
    List<Entry> dropped = new ArrayList<>();
    Entry entry;
    synchronized (this) {
      if (lastRelease > unlessReleasedSince) {
        return;
      }
      entry = new Entry(kind, keys, life, call, ++entries);
      Predicate<Entry> superseded =
          kind == Kind.RELEASE
              ? other -> overlap(other.keys, keys)
              : other -> other.kind == kind && other.keys.equals(keys);
      unsent.stream().filter(superseded).forEach(dropped::add);
      unsent.removeAll(dropped);
      unsent.add(entry);
      if (kind == Kind.ACQUIRE) {
        lastAcquisition = entries;
      }
    }
    dropped.forEach(other -> other.call.drop("has got another call instead"));
    call.begin();
    call.whenOver(() -> ended(entry));
    next();
  }

  /** The place of the last call. */
  synchronized long position() {
    return entries;
  }

  /**
   * Releases keys, now or as soon as the member can.
   *
   * @param keepFor how long to keep the keys before
   * @param life how long they live at most
   */
  void release(
      LockKeys keys,
      Duration keepFor,
      Duration life,
      ContextView context,
      MemberCall<Boolean> call) {
    synchronized (this) {
      long now = settings.now();
      owed.put(keys, new Owed(now + keepFor.toNanos(), now + life.toNanos(), false, context));
      lastRelease = entries + 1;
    }
    enter(Kind.RELEASE, keys, life, call);
  }

  /** Releases keys as above; completes when the member has answered, failed or timed out. */
  Mono<Void> release(LockKeys keys, Duration life, ContextView context) {
    Sinks.Empty<Void> outcome = Sinks.empty();
    release(
        keys,
        Duration.ZERO,
        life,
        context,
        new MemberCall<>(
            member,
            request(keys, Duration.ZERO),
            settings,
            context,
            any -> outcome.tryEmitEmpty()));
    return outcome.asMono();
  }

  /** The release itself; it answers true also if this object has released the keys before. */
  Mono<Boolean> request(LockKeys keys, Duration keepFor) {
    return member
        .call(() -> member.store.release(keys, token, keepFor))
        .map(done -> done || hasFreed(keys));
  }

  private synchronized boolean hasFreed(LockKeys keys) {
    return freed.contains(keys);
  }

  /** A later release is not the repetition of one before. */
  synchronized void forgetFreed() {
    freed.clear();
  }

  private void next() {
    Entry entry;
    synchronized (this) {
      if (underWay != null) {
        return;
      }
      unsent.removeIf(other -> other.call.isOver());
      Entry first = unsent.peek();
      entry = first == null ? due() : first.kind == Kind.ACQUIRE ? releaseBefore(first) : first;
      if (entry != null && entry.equals(first)) {
        unsent.remove();
      }
      underWay = entry;
      if (entry != null && entry.kind == Kind.ACQUIRE) {
        freed.removeIf(keys -> overlap(keys, entry.keys));
      }
    }
    if (entry == null) {
      whenIdle.run();
    } else {
      entry.call.send();
    }
  }

  private @Nullable Entry due() {
    return owed.entrySet().stream()
        .filter(one -> one.getValue().isDue)
        .findFirst()
        .map(one -> releaseOf(one.getKey(), one.getValue()))
        .orElse(null);
  }

  /** What keys of an acquisition are owed is released first. */
  private Entry releaseBefore(Entry acquisition) {
    return owed.entrySet().stream()
        .filter(one -> overlap(one.getKey(), acquisition.keys))
        .findFirst()
        .map(one -> releaseOf(one.getKey(), one.getValue()))
        .orElse(acquisition);
  }

  private Entry releaseOf(LockKeys keys, Owed debt) {
    Duration keepFor = Duration.ofMillis((debt.keepUntil - settings.now()) / 1_000_000);
    MemberCall<Boolean> call =
        new MemberCall<>(
            member,
            request(keys, keepFor.isNegative() ? Duration.ZERO : keepFor),
            settings,
            debt.context,
            any -> {});
    Entry entry = new Entry(Kind.RELEASE, keys, Duration.ZERO, call, ++entries);
    call.begin();
    call.whenOver(() -> ended(entry));
    return entry;
  }

  private void ended(Entry entry) {
    StoreFailure failure = entry.call.lasting();
    List<Entry> refused = new ArrayList<>();
    synchronized (this) {
      if (entry.equals(underWay)) {
        underWay = null;
      }
      if (entry.kind == Kind.ACQUIRE && entry.call.isSent()) {
        acquired(entry, failure);
      } else if (entry.kind == Kind.RELEASE) {
        released(entry, failure);
        if (failure != null && owed.containsKey(entry.keys)) {
          unsent.stream()
              .filter(one -> one.kind == Kind.ACQUIRE && overlap(one.keys, entry.keys))
              .forEach(refused::add);
        }
      }
    }
    refused.forEach(one -> one.call.drop("has not confirmed an earlier release yet"));
    if (entry.kind == Kind.RELEASE && entry.call.isSent()) {
      member.retries.answered(this, failure);
    }
    next();
  }

  private void acquired(Entry entry, @Nullable StoreFailure failure) {
    boolean isGranted = entry.call.answer() instanceof MemberGrant grant && grant.isGranted();
    boolean isInDoubt = failure != null && failure.isInDoubt();
    if (isGranted || isInDoubt) {
      taken.put(entry.keys, new Taken(entry.life, isInDoubt));
    }
    boolean isToBeFree = lastRelease > entry.number && lastAcquisition <= entry.number;
    if (isGranted && isToBeFree && unsent.stream().noneMatch(one -> one.kind == Kind.RELEASE)) {
      // it was given up for lost, and the release has been answered meanwhile
      owe(entry.keys, entry.life);
    }
  }

  private void owe(LockKeys keys, Duration life) {
    long now = settings.now();
    owed.putIfAbsent(keys, new Owed(now, now + life.toNanos(), true, Context.empty()));
  }

  private void released(Entry entry, @Nullable StoreFailure failure) {
    Owed debt = owed.get(entry.keys);
    if (failure == null) {
      owed.remove(entry.keys);
      if (Boolean.TRUE.equals(entry.call.answer())) {
        freed.add(entry.keys);
      }
      taken.keySet().stream()
          .filter(keys -> entry.keys.asSet().containsAll(keys.asSet()))
          .toList()
          .forEach(keys -> repeatIfInDoubt(keys, debt));
      return;
    }
    if (failure.isInDoubt() && entry.call.isSent()) {
      freed.add(entry.keys);
    }
    if (entry.call.isSent() && !failure.isTransient()) {
      owed.remove(entry.keys);
    } else if (debt != null) {
      owed.put(entry.keys, debt.due(!entry.call.isSent()));
    }
  }

  private void repeatIfInDoubt(LockKeys keys, @Nullable Owed debt) {
    Taken before = taken.remove(keys);
    if (before != null && before.isInDoubt) {
      Duration half = before.life.dividedBy(2);
      repeat(keys, debt, half.compareTo(SOON) < 0 ? half : SOON);
      if (half.compareTo(SOON) > 0) {
        repeat(keys, debt, half);
      }
    }
  }

  private void repeat(LockKeys keys, @Nullable Owed debt, Duration delay) {
    long acquisition = lastAcquisition;
    repetitions++;
    var unused =
        settings.after(
            delay,
            () -> {
              synchronized (this) {
                repetitions--;
                if (acquisition == lastAcquisition && debt != null && !member.retries.isClosed()) {
                  owed.putIfAbsent(keys, debt.due(true));
                }
              }
              next();
            });
  }

  /** Sends what is owed, once more; forgets what has expired. False if nothing is. */
  boolean sendOwed() {
    synchronized (this) {
      long now = settings.now();
      owed.values().removeIf(debt -> debt.until - now <= 0);
      owed.replaceAll((keys, debt) -> debt.due(true));
      if (owed.isEmpty()) {
        return false;
      }
    }
    next();
    return true;
  }

  /** Leaves to their ttl what is owed. */
  synchronized void forgive() {
    owed.clear();
  }

  synchronized int owed() {
    return owed.size();
  }

  /** Whether nothing is under way, owed or in doubt. */
  synchronized boolean isIdle() {
    return underWay == null && unsent.isEmpty() && owed.isEmpty() && repetitions == 0;
  }

  private static boolean overlap(LockKeys some, LockKeys others) {
    return some.asList().stream().anyMatch(others.asSet()::contains);
  }

  @Override
  public String toString() {
    return "lease at " + member;
  }
}
