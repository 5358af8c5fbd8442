// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * What one token has at one member. All calls of the token there, but those that only read, are
 * made by this object.
 *
 * <h2>In order</h2>
 *
 * <p>The next call is sent when the last one was answered, has failed or is given up for lost. So a
 * release frees what an acquisition before it is granted, however late, and whether or not the
 * quorum needed that grant. A call that waits for its turn is never sent once its limit is over, a
 * newer one of its kind has come, or its keys are to be released. An extension behind a silent
 * acquisition can thereby lose a lock of a short ttl at this member.
 *
 * <h2>Until nothing is left</h2>
 *
 * <p>Keys that are to be released are owed until the member has confirmed it, refuses for good, or
 * they have expired; {@link ReleaseRetries} says when it is asked again. Until then they are not
 * acquired again; nor for 2 s after a release whose answer was lost, which may take effect behind a
 * later one, as when it stands in a connection that has broken. An acquisition in doubt may take
 * effect after the release, which is then repeated after a second and at half the ttl. A release
 * that is repeated as the quorum could not decide it answers true if this object may have freed the
 * keys before.
 */
final class MemberLease {

  /** What a call does. */
  enum Kind {
    ACQUIRE,
    RESTORE,
    EXTEND,
    FENCE,
    RELEASE
  }

  private static final Duration SOON = Duration.ofSeconds(1);
  static final long ANY = -1;

  private final Member member;
  private final String token;
  private final QuorumSettings settings;
  private final Runnable whenIdle;

  // all guarded by this
  private final Deque<Entry> unsent = new ArrayDeque<>();
  private @Nullable Entry underWay;
  private final Map<LockKeys, Owed> owed = new LinkedHashMap<>();
  private final Map<LockKeys, Doubt> doubts = new HashMap<>();
  private final Map<LockKeys, Long> freed = new HashMap<>(); // and until when that counts
  private final Map<LockKeys, Long> restored = new HashMap<>(); // and until when it lives
  private long lateReleaseUntil; // that may still take effect
  private boolean undecided;
  private long lastAcquisition;
  private long lastRelease;
  private int repetitions;

  /** A call in its place, and how long keys live at most after it. */
  private record Entry(Kind kind, LockKeys keys, Duration life, MemberCall<?> call) {

    boolean takes() {
      return kind == Kind.ACQUIRE || kind == Kind.RESTORE;
    }

    boolean overlaps(LockKeys others) {
      return keys.asList().stream().anyMatch(others.asSet()::contains);
    }
  }

  /** When to free keys, when they have expired, and whether to send that as the next call. */
  private record Owed(long keepUntil, long until, boolean isDue, ContextView context) {

    Owed due(boolean isDue) {
      return new Owed(keepUntil, until, isDue, context);
    }
  }

  /** An acquisition that may have taken effect, or may yet. */
  private record Doubt(Duration life, long until, boolean isRepeated) {}

  MemberLease(Member member, String token, QuorumSettings settings, Runnable whenIdle) {
    this.member = member;
    this.token = token;
    this.settings = settings;
    this.whenIdle = whenIdle;
    this.lateReleaseUntil = settings.now();
  }

  /** How many releases there were. */
  synchronized long releases() {
    return lastRelease;
  }

  /** Sends the call when its turn has come, if there were no more releases: or {@link #ANY}. */
  void enter(Kind kind, LockKeys keys, Duration life, MemberCall<?> call, long releases) {
    Entry entry = new Entry(kind, keys, life, call);
    List<Entry> superseded;
    synchronized (this) {
      if (releases != ANY && releases != lastRelease) {
        return;
      }
      superseded =
          unsent.stream()
              .filter(
                  other ->
                      kind == Kind.RELEASE
                          ? other.overlaps(keys)
                          : other.kind == kind && other.keys.equals(keys))
              .toList();
      unsent.removeAll(superseded);
      unsent.add(entry);
      lastAcquisition += entry.takes() ? 1 : 0;
    }
    call.begin();
    call.whenOver(() -> ended(entry));
    superseded.forEach(other -> other.call.drop("has got another call instead"));
    next();
  }

  /** Releases keys that live at most so long, and keeps them for a while before. */
  void release(
      LockKeys keys, Duration keepFor, Duration life, ContextView context, MemberCall<?> call) {
    synchronized (this) {
      undecided = true;
    }
    owe(keys, keepFor, life, context, call);
  }

  /** Releases what an attempt in vain has taken; completes within the time limit. */
  Mono<Void> undo(LockKeys keys, Duration life, ContextView context) {
    MemberCall<Boolean> call =
        new MemberCall<>(member, request(keys, Duration.ZERO), settings, context);
    owe(keys, Duration.ZERO, life, context, call);
    return call.outcome();
  }

  private void owe(
      LockKeys keys, Duration keepFor, Duration life, ContextView context, MemberCall<?> call) {
    synchronized (this) {
      long now = settings.now();
      owed.put(keys, new Owed(now + keepFor.toNanos(), now + life.toNanos(), false, context));
      lastRelease++;
    }
    enter(Kind.RELEASE, keys, life, call, ANY);
  }

  /** The release itself, which keeps the keys for what is left of the time when it is sent. */
  Mono<Boolean> request(LockKeys keys, Duration keepFor) {
    long keepUntil = settings.now() + keepFor.toNanos();
    return Mono.defer(
            () -> {
              long left = Math.max(0, keepUntil - settings.now());
              return member.store.release(keys, token, Duration.ofMillis(left / 1_000_000));
            })
        .map(done -> done || hasFreed(keys));
  }

  private synchronized boolean hasFreed(LockKeys keys) {
    return freed.containsKey(keys);
  }

  /** Whether an acquisition that failed in doubt may have taken the keys. */
  synchronized boolean mayHaveTaken(LockKeys keys) {
    return doubts.containsKey(keys);
  }

  /** The quorum has decided a release, so that the next one is no repetition of it. */
  synchronized void decided() {
    undecided = false;
    freed.clear();
  }

  private void next() {
    List<Entry> refused = new ArrayList<>();
    Entry entry;
    synchronized (this) {
      if (underWay != null) {
        return;
      }
      entry = due();
      while (entry == null && !unsent.isEmpty()) {
        Entry first = unsent.remove();
        if (first.takes() && mayBeFreed(first)) {
          refused.add(first);
        } else if (!first.call.isOver()) {
          entry = first;
        }
      }
      if (entry != null && entry.takes()) {
        freed.keySet().removeIf(entry::overlaps);
      }
      underWay = entry;
    }
    refused.forEach(one -> one.call.drop("has not confirmed an earlier release yet"));
    if (entry == null) {
      whenIdle.run();
    } else {
      entry.call.send();
    }
  }

  /** Whether a release of these keys may still take effect. */
  private boolean mayBeFreed(Entry acquisition) {
    return lateReleaseUntil - settings.now() > 0
        || owed.keySet().stream().anyMatch(acquisition::overlaps);
  }

  private @Nullable Entry due() {
    for (Map.Entry<LockKeys, Owed> one : owed.entrySet()) {
      Owed debt = one.getValue();
      if (debt.isDue) {
        Mono<Boolean> request =
            request(one.getKey(), Duration.ofNanos(debt.keepUntil - settings.now()));
        MemberCall<?> call = new MemberCall<>(member, request, settings, debt.context);
        Entry entry = new Entry(Kind.RELEASE, one.getKey(), Duration.ZERO, call);
        call.whenOver(() -> ended(entry));
        return entry;
      }
    }
    return null;
  }

  private void ended(Entry entry) {
    StoreFailure failure = entry.call.failure();
    boolean isSent = entry.call.isSent();
    synchronized (this) {
      if (entry.equals(underWay)) {
        underWay = null;
      }
      if (entry.kind == Kind.RELEASE) {
        released(entry, failure, isSent);
      } else if (entry.takes() && isSent) {
        if (failure != null && failure.isInDoubt()) {
          doubts.put(
              entry.keys, new Doubt(entry.life, settings.now() + entry.life.toNanos(), false));
        }
        if (entry.kind == Kind.RESTORE) {
          restored.put(entry.keys, settings.now() + entry.life.toNanos());
        }
      }
    }
    if (entry.kind == Kind.RELEASE && isSent) {
      member.retries.answered(this, failure != null);
    }
    next();
  }

  private void released(Entry entry, @Nullable StoreFailure failure, boolean isSent) {
    Owed debt = owed.get(entry.keys);
    boolean isInDoubt = isSent && failure != null && failure.isInDoubt();
    boolean mayHaveFreed =
        isInDoubt || (failure == null && Boolean.TRUE.equals(entry.call.answer()));
    if (isInDoubt) {
      lateReleaseUntil = settings.now() + QuorumSettings.TIMEOUT.toNanos();
    }
    if (mayHaveFreed && undecided && debt != null) {
      freed.put(entry.keys, debt.until);
    }
    if (isSent && (failure == null || !failure.isTransient())) {
      owed.remove(entry.keys);
      if (debt != null && !mayHaveFreed) {
        releaseParts(entry.keys, debt);
      }
      Doubt doubt = doubts.get(entry.keys);
      if (doubt != null && debt != null && !doubt.isRepeated) {
        doubts.put(entry.keys, new Doubt(doubt.life, doubt.until, true));
        Duration half = doubt.life.dividedBy(2);
        repeat(entry.keys, debt, half.compareTo(SOON) < 0 ? half : SOON);
        repeat(entry.keys, debt, half);
      }
    } else if (debt != null) {
      owed.put(entry.keys, debt.due(!isSent));
    }
  }

  /** Of keys that the member does not have all, it may have some that were written again. */
  private void releaseParts(LockKeys keys, Owed debt) {
    for (LockKeys part : List.copyOf(restored.keySet())) {
      if (keys.asSet().containsAll(part.asSet())) {
        restored.remove(part);
        if (!part.equals(keys)) {
          owed.putIfAbsent(part, debt.due(true));
        }
      }
    }
  }

  private void repeat(LockKeys keys, Owed debt, Duration delay) {
    long acquisition = lastAcquisition;
    repetitions++;
    var unused =
        settings.after(
            delay,
            () -> {
              synchronized (this) {
                repetitions--;
                if (acquisition == lastAcquisition && !member.retries.isClosed()) {
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
    }
    next();
    return owed() > 0;
  }

  /** Leaves to their ttl what is owed. */
  synchronized void forgive() {
    owed.clear();
  }

  synchronized int owed() {
    return owed.size();
  }

  /** Whether nothing is under way, owed or to be remembered. */
  synchronized boolean isIdle() {
    long now = settings.now();
    doubts.values().removeIf(doubt -> doubt.until - now <= 0);
    freed.values().removeIf(until -> until - now <= 0);
    restored.values().removeIf(until -> until - now <= 0);
    return underWay == null
        && unsent.isEmpty()
        && owed.isEmpty()
        && doubts.isEmpty()
        && freed.isEmpty()
        && restored.isEmpty()
        && repetitions == 0
        && lateReleaseUntil - now <= 0;
  }
}
