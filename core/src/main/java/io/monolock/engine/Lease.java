// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.engine.LeaseCall.Kind;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/**
 * What one token has, or may have, in the store, until nothing of it is left. Callers hold locks,
 * which are their turns on a lease; the lease alone sends commands for the token.
 *
 * <p>It knows who needs its keys: lines that ask for them, and handles that hold them. What was
 * taken, or may have been, and is needed by neither is released, key by key, once no acquire is
 * unanswered. A token that the user gave, or attached, has one lease in a locker, whatever callers
 * and keys; what such a token may have re-entered, or taken without an answer, is left to its ttl.
 */
final class Lease {

  private static final Duration FIRST_REPEAT = Duration.ofSeconds(1);

  final LockerContext locker;
  final String token;

  /** Whether the locker made the token, so that it has taken all that it has. */
  final boolean isOurs;

  private final Ledger ledger = new Ledger(); // as all below guarded by this
  private List<WaitLine> askers = List.of();
  private List<HeldLock> handles = List.of();
  private List<Release> releases = List.of();
  private long releasesBegun;

  /** Whether only this locker knows the token and has freed none of its keys by force. */
  private boolean isPassable;

  /** Whether the last refresh failed. */
  private boolean isTroubled;

  /** Granted to this acquisition, but not taken; 0 for none. */
  private long untaken;

  private boolean wasTaken;
  private volatile boolean isSettled;

  /** When the grant was asked for, and when this locker got the keys. */
  private long askedAt;

  private volatile long turnBegunAt;

  /** Of the last attempt. */
  private volatile Duration ttl = Duration.ZERO;

  private volatile Context context = Context.empty();

  Lease(LockerContext locker, String token, boolean isOurs) {
    this.locker = locker;
    this.token = token;
    this.isOurs = isOurs;
    this.isPassable = isOurs;
  }

  // who needs it

  /** Whether nothing is left of it: should its token be used again, it needs a new one. */
  boolean isSettled() {
    return isSettled;
  }

  /** False if it is settled. */
  synchronized boolean join(WaitLine line) {
    if (!isSettled) {
      askers = with(askers, line);
    }
    return !isSettled;
  }

  /** The line no longer asks for this lease. */
  void leave(WaitLine line) {
    long untaken;
    synchronized (this) {
      askers = without(askers, line);
      untaken = this.untaken;
      this.untaken = 0;
    }
    reportAbandoned(untaken, line.keys);
    tidy();
  }

  /** The next caller's turn begins. */
  synchronized void begin(HeldLock handle) {
    handles = with(handles, handle);
  }

  /** An attached handle begins, whose token user code knows; false if the lease is settled. */
  synchronized boolean attach(HeldLock handle, long releasesBefore) {
    if (isSettled || releasesBegun != releasesBefore) {
      return false;
    }
    isPassable = false;
    turnBegunAt = locker.now();
    handles = with(handles, handle);
    locker.leases.add(this);
    return true;
  }

  /** How many releases have begun: what was confirmed before one of them no longer counts. */
  synchronized long releasesBegun() {
    return releasesBegun;
  }

  /** A line's attempt begins a turn: the line asks no more. */
  synchronized void begin(HeldLock handle, LineAttempt attempt) {
    handles = with(handles, handle);
    askers = without(askers, attempt.line);
    untaken = 0;
    wasTaken = true;
    askedAt = attempt.askedAt;
  }

  /** A handle ends; called under the monitor. */
  void ended(HeldLock handle) {
    handles = without(handles, handle);
  }

  /** The keys of a handle are lost. */
  void lost(HeldLock handle) {
    synchronized (this) {
      ledger.removeUnclaimed(handle.keys);
    }
    tidy();
    locker.lines.freed(handle.keys, this);
  }

  /** The open handles that a release of these keys ends. */
  private List<HeldLock> sharing(LockKeys keys) {
    return handles.isEmpty()
        ? List.of()
        : handles.stream().filter(handle -> Ledger.overlap(handle.keys, keys)).toList();
  }

  // what is asked of the store

  void enter(LeaseCall<?> call) {
    boolean goes;
    synchronized (this) {
      goes = admits(call);
    }
    if (goes) {
      call.go();
    }
  }

  /** Asks for keys that the token may have, unless it needs a new lease. */
  boolean enterUnlessSettled(LeaseCall<?> call) {
    boolean goes;
    synchronized (this) {
      if (isSettled) {
        return false;
      }
      goes = admits(call);
    }
    if (goes) {
      call.go();
    }
    return true;
  }

  /** Asks for a handle, unless it has ended. */
  boolean enter(LeaseCall<?> call, HeldLock handle, long end) {
    boolean goes;
    synchronized (this) {
      if (handle.hasEnded()) {
        return false;
      }
      ledger.endsBy(end);
      goes = admits(call);
    }
    if (goes) {
      call.go();
    }
    return true;
  }

  /** Whether the call goes now; one that ended on its way here has no place in the ledger. */
  private boolean admits(LeaseCall<?> call) {
    if (!call.isOpen()) {
      return false;
    }
    ledger.enter(call);
    return mayGo(call) && ledger.letGo(call, locker.now());
  }

  /**
   * A release that failed is tried again, and until it has ended nothing else asks for its keys.
   */
  private boolean mayGo(LeaseCall<?> call) {
    return call.kind == Kind.RELEASE
        || releases.isEmpty() // as for each first attempt
        || releases.stream().noneMatch(release -> Ledger.overlap(release.keys, call.keys));
  }

  void over(LeaseCall<?> call, boolean inDoubt) {
    List<LeaseCall<?>> ready;
    synchronized (this) {
      if (inDoubt && call.kind == Kind.ACQUIRE) {
        ledger.doubt();
        if (isOurs) {
          ledger.addUnclaimed(call.keys);
        }
      }
      ledger.remove(call);
      ready = ready();
    }
    go(ready);
    tidy();
  }

  private static void go(List<LeaseCall<?>> ready) {
    if (!ready.isEmpty()) { // as mostly, and without an iterator then
      ready.forEach(LeaseCall::go);
    }
  }

  /** The calls that nothing holds up any more. */
  private List<LeaseCall<?>> ready() {
    return ledger.isEmpty() ? List.of() : ledger.letGo(this::mayGo, locker.now());
  }

  synchronized void asks(LineAttempt attempt) {
    ttl = attempt.options().ttl();
    context = attempt.currentContext();
    ledger.endsBy(Nanos.after(attempt.askedAt, ttl));
  }

  Context context() {
    return context;
  }

  /** An acquire was granted; false if a release that waits for it will free the keys again. */
  synchronized boolean granted(LineAttempt attempt, boolean fresh) {
    if (ledger.isAboutToFree(attempt.keys)) {
      return false;
    }
    if (isOurs || fresh) {
      ledger.addUnclaimed(attempt.keys);
    }
    ledger.remove(attempt); // before another thread may release what it was granted
    turnBegunAt = attempt.isTransfer() ? attempt.turnBegunAt : locker.now();
    return true;
  }

  /** The keys of a granted attempt went to no caller. */
  void notTaken(LineAttempt attempt) {
    boolean isAsked;
    boolean wasTaken;
    synchronized (this) {
      wasTaken = this.wasTaken;
      isAsked = askers.contains(attempt.line);
      if (isAsked) {
        untaken = attempt.cause.id;
      }
    }
    if (!isAsked && !(isOurs ? wasTaken : attempt.cause.isServed())) {
      reportAbandoned(attempt.cause.id, attempt.keys);
    }
    boolean isAnothers = isSettled && (!isOurs || locker.leases.isReplaced(this));
    if (isAnothers && take(attempt.keys)) {
      locker.leases.present(this).adopt(attempt.keys);
    }
    tidy();
  }

  private synchronized boolean take(LockKeys keys) {
    boolean had = ledger.hasUnclaimed();
    ledger.removeUnclaimed(keys);
    return had;
  }

  /** Cleans up what an older lease of this token has taken late. */
  private void adopt(LockKeys keys) {
    synchronized (this) {
      ledger.addUnclaimed(keys);
      locker.leases.add(this);
    }
    tidy();
  }

  private void reportAbandoned(long id, LockKeys keys) {
    if (id != 0) {
      locker.observer.abandoned(id, keys.asSet());
    }
  }

  // passing on

  /** Whether the ended handle's lease may go to the next caller as it is. */
  synchronized boolean mayBePassedOn(HeldLock ended, long now) {
    long ttl = Nanos.of(ended.options.ttl());
    return isPassable
        && !isTroubled
        && !ended.options.fenced()
        && isUndoubted(now)
        && now - askedAt <= Math.min(ttl / 100, HandOver.LONGEST_UNCONFIRMED)
        && ended.deadline() - now >= ttl / 100 * 98 - 2_000_000
        && ledger.latestEnd() - now <= ttl
        && ledger.isEmpty();
  }

  /** Whether no handle needs the keys, nothing is in doubt, and nothing keeps them. */
  synchronized boolean isUndoubted(long now) {
    return handles.isEmpty() && !ledger.isDoubtful() && ledger.keepFor(now).isZero();
  }

  long turnBegunAt() {
    return turnBegunAt;
  }

  /** User code knows the token, or freed keys by force. */
  synchronized void neverPassOn() {
    isPassable = false;
  }

  synchronized void troubled(boolean isTroubled) {
    this.isTroubled = isTroubled;
  }

  synchronized void holdUntil(long time) {
    ledger.holdUntil(time);
  }

  synchronized Duration keepFor() {
    return ledger.keepFor(locker.now());
  }

  // cleaning up

  /**
   * The release of a handle begins, and ends the other handles of its keys.
   *
   * @param older the lease of the handle, of which nothing may be left
   * @return the other handles; null if nothing is left of this lease either
   */
  synchronized @Nullable List<HeldLock> begin(Release release, Lease older) {
    if (older != this) {
      if (isSettled) {
        return null;
      }
      ledger.inherit(older.ledger);
      locker.leases.add(this);
    }
    List<HeldLock> others = sharing(release.keys);
    for (HeldLock other : others) {
      other.endWithAnother();
      ledger.addUnclaimed(other.keys);
    }
    begin(release);
    return others;
  }

  /** A release takes over the cleaning up of its keys. */
  synchronized void begin(Release release) {
    releases = with(releases, release);
    releasesBegun++;
    ledger.removeUnclaimed(release.keys);
  }

  /** When the store has forgotten all keys by itself. */
  synchronized long latestEnd() {
    return ledger.latestEnd();
  }

  synchronized void addUnclaimed(LockKeys keys) {
    ledger.addUnclaimed(keys);
  }

  /** The keys stay with the next caller, unless that one has released them already. */
  void passedOn(Release release) {
    remove(release);
    tidy();
  }

  /** The store has freed the keys of a release: others that are under way for them find nothing. */
  synchronized void freed(Release release) {
    for (Release other : releases) {
      if (other != release && Ledger.overlap(other.keys, release.keys)) {
        other.doneByAnother();
      }
    }
  }

  private void remove(Release release) {
    List<LeaseCall<?>> ready;
    synchronized (this) {
      releases = without(releases, release);
      ready = ready();
    }
    go(ready);
  }

  void ended(Release release) {
    LockKeys keys = release.keys;
    boolean again;
    synchronized (this) {
      again = ledger.isDoubtful() && isOurs;
    }
    remove(release);
    tidy();
    if (again) {
      locker.wheel.after(FIRST_REPEAT, () -> releaseAgain(keys));
      locker.wheel.after(ttl.dividedBy(2), () -> releaseAgain(keys));
    }
    locker.lines.freed(keys, this);
  }

  /** Unless its user has taken keys with the token again. */
  private void releaseAgain(LockKeys keys) {
    if (!locker.leases.isReplaced(this)) {
      new RepeatedRelease(this, keys).send();
    }
  }

  /** Releases what is not needed; a lease without anything left is settled. */
  void tidy() {
    List<LockKeys> left;
    List<Release> begun = List.of();
    synchronized (this) {
      boolean isNeeded = !askers.isEmpty() || !handles.isEmpty() || !releases.isEmpty();
      left =
          !ledger.hasUnclaimed() || (isNeeded && isOurs)
              ? List.of()
              : ledger.takeUnclaimed(needed(), false);
      if (left.isEmpty()) {
        isSettled |= !isNeeded && ledger.isEmpty();
        if (!isSettled) {
          return;
        }
      } else {
        begun = left.stream().map(keys -> new Release(this, keys)).toList();
        begun.forEach(this::begin);
      }
    }
    if (begun.isEmpty()) {
      locker.leases.remove(this);
    } else {
      begun.forEach(Release::begin);
    }
  }

  private Set<String> needed() {
    Set<String> names = new HashSet<>();
    askers.forEach(line -> names.addAll(line.keys.asSet()));
    handles.forEach(handle -> names.addAll(handle.keys.asSet()));
    releases.forEach(release -> names.addAll(release.keys.asSet()));
    ledger.addAskedFor(names);
    return names;
  }

  // for closing and listing

  synchronized List<HeldLock> handles() {
    return handles;
  }

  synchronized List<Release> releases() {
    return releases;
  }

  synchronized List<WaitLine> askers() {
    return askers;
  }

  private static <T> List<T> with(List<T> list, T one) {
    if (list.isEmpty()) {
      return List.of(one);
    }
    List<T> all = new ArrayList<>(list);
    all.add(one);
    return all;
  }

  private static <T> List<T> without(List<T> list, T one) {
    if (list.isEmpty()) {
      return list;
    }
    if (list.size() == 1 && list.get(0).equals(one)) {
      return List.of();
    }
    return list.stream().filter(other -> !other.equals(one)).toList();
  }
}
