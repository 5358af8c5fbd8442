// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;

/**
 * The waiters for one set of keys in this locker, in order.
 *
 * <h2>Only the first waiter asks</h2>
 *
 * <p>The first waiter asks the store, as its retry spec says; the others stand behind it, first
 * come first served, and send nothing. A waiter that becomes the first because the one before it
 * gave up asks at once, as the keys may have become free in between.
 *
 * <h2>Hand-over</h2>
 *
 * <p>If the keys are held by this locker, their release gives them to the first waiter, in the same
 * command. So a waiter that becomes the first because the one before it got the keys asks only if
 * it does not get them soon. See {@link HandOvers} for how other processes get their turn.
 *
 * <h2>Wake-ups</h2>
 *
 * <p>Once the first waiter was refused, the line subscribes to the store's wake-ups, which say that
 * the keys may be free, and passes them on to the waiter that is first by then. While the keys are
 * held by this locker, wake-ups mostly are echoes of our own commands; they are acted upon a little
 * later, unless a hand-over comes first.
 *
 * <p>A line exists as long as it has waiters, or a holder that got the keys through it. No method
 * of a waiter, of the store or of another line is called while the monitor of a line is held.
 */
final class WaitLine {

  /** A place in a line. Its methods neither block nor throw. */
  interface Waiter {

    /** It is the first now, and asks. */
    void ask();

    /** Asks no later than at this time, if it is not asking already. */
    void askBy(long time);

    /**
     * The keys may be free: asks now; if an attempt is under way and is refused, then once more.
     *
     * @param toRepeat whether wake-ups only begin to flow: the last attempt, made before that, is
     *     repeated and does not count again
     */
    void wake(boolean toRepeat);

    /**
     * The keys are handed over by their release.
     *
     * @return false if this waiter has ended, and the release has to go on without it
     */
    boolean receive(Release release);
  }

  /** While others stand behind, the first waiter asks at least this often. */
  static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** How long the first waiter expects a hand-over by the holder in this locker. */
  private static final Duration HAND_OVER_TIMEOUT = Duration.ofMillis(10);

  private static final Logger LOG = LoggerFactory.getLogger(WaitLine.class);

  private final LockerContext locker;
  private final LockKeys keys;

  private @Nullable LastAnswer lastAnswer;
  private @Nullable HandOvers handOvers;
  private @Nullable Waiter first;
  private @Nullable Set<Waiter> behind;
  private @Nullable Claim holder;

  /** The first waiter was refused by the store, or others stand behind it. */
  private boolean contended;

  /** The first waiter has not asked lately, as it expects a hand-over. */
  private boolean expectsHandOver;

  private long expectedSince;
  private boolean handOverWatched;
  private boolean over;
  private @Nullable Disposable wakeUps;

  /** Whether a wake-up came; the first one only says that they flow from now on. */
  private boolean woken;

  WaitLine(LockerContext locker, LockKeys keys) {
    this.locker = locker;
    this.keys = keys;
  }

  LockKeys keys() {
    return keys;
  }

  /** What the waiters know of the keys. */
  synchronized LastAnswer lastAnswer() {
    if (lastAnswer == null) {
      lastAnswer = new LastAnswer();
    }
    return lastAnswer;
  }

  /** Puts the waiter at the end; false if this line is over, and a new one is needed. */
  boolean join(Waiter waiter) {
    Waiter first;
    synchronized (this) {
      if (over) {
        return false;
      }
      first = this.first;
      if (first == null) {
        this.first = waiter;
      } else {
        contended = true;
        if (behind == null) {
          behind = new LinkedHashSet<>();
        }
        behind.add(waiter);
      }
    }
    if (first == null) {
      waiter.ask();
    } else {
      first.askBy(locker.now() + LONGEST_PAUSE.toNanos());
    }
    return true;
  }

  /** Whether there is a waiter that was refused, or has to wait for others. */
  synchronized boolean isContended() {
    return first != null && (contended || holder != null);
  }

  /** Whether a new waiter has to stand behind others. */
  synchronized boolean isOccupied() {
    return first != null;
  }

  synchronized boolean isOver() {
    return over;
  }

  synchronized boolean hasOthers() {
    return behind != null && !behind.isEmpty();
  }

  /** The first waiter was refused: from now on the line needs wake-ups. */
  void refused() {
    synchronized (this) {
      contended = true;
      if (holder == null && handOvers != null) {
        handOvers.refused();
      }
      if (over || wakeUps != null) {
        return;
      }
    }
    subscribeToWakeUps();
  }

  private void subscribeToWakeUps() {
    Disposable subscription =
        locker
            .store
            .wakeUps(keys)
            .subscribe(any -> onWakeUp(), e -> LOG.warn("no more wake-ups for {}", keys, e));
    boolean superfluous;
    synchronized (this) {
      superfluous = over || wakeUps != null;
      if (!superfluous) {
        wakeUps = subscription;
      }
    }
    if (superfluous) {
      subscription.dispose();
    }
  }

  private void onWakeUp() {
    Waiter first;
    boolean isFirst;
    synchronized (this) {
      isFirst = !woken;
      woken = true;
      first = this.first;
      if (first == null) {
        return;
      }
      if (holder != null) {
        expectHandOver();
        first = null;
      }
    }
    if (first == null) {
      watchHandOver();
    } else {
      first.wake(isFirst);
    }
  }

  /** The waiter leaves without the keys. */
  void leave(Waiter waiter) {
    Waiter next;
    synchronized (this) {
      if (!waiter.equals(first)) {
        if (behind != null) {
          behind.remove(waiter);
        }
        return;
      }
      next = advance();
    }
    endIfUnused();
    if (next != null && !locker.claims.isClosed()) {
      next.ask();
    }
  }

  /**
   * The waiter has got the keys and leaves.
   *
   * @param byHandOver whether they were handed to it
   * @return whether it holds them through this line; a waiter that never had to wait, with no
   *     others behind it, leaves no line behind
   */
  boolean served(Waiter waiter, Claim claim, boolean byHandOver) {
    boolean neverWaited;
    synchronized (this) {
      neverWaited = waiter.equals(first) && !contended && holder == null && handOvers == null;
      if (neverWaited) {
        first = null;
      }
    }
    if (neverWaited) {
      endIfUnused();
      return false;
    }
    synchronized (this) {
      if (!claim.isReleased()) {
        holder = claim;
      }
      lastAnswer().busy(locker.now(), claim.options.ttl());
      if (!byHandOver && handOvers != null) {
        handOvers.taken();
      }
      if (waiter.equals(first)) {
        if (advance() != null) {
          expectHandOver();
        }
      } else if (behind != null) {
        behind.remove(waiter);
      }
    }
    endIfUnused();
    watchHandOver();
    return true;
  }

  private @Nullable Waiter advance() {
    first = null;
    expectsHandOver = false;
    if (behind != null) {
      Iterator<Waiter> waiters = behind.iterator();
      if (waiters.hasNext()) {
        first = waiters.next();
        waiters.remove();
      }
    }
    contended = hasOthers();
    return first;
  }

  /**
   * The waiter to hand the keys to. Called when a release is about to be sent.
   *
   * @return null when there is no waiter, or when other processes are to get their turn
   */
  @Nullable Waiter successor(Claim from) {
    Waiter successor;
    boolean now = false;
    synchronized (this) {
      if (from.equals(holder)) {
        holder = null;
      }
      expectsHandOver = false;
      successor = first;
      if (successor != null) {
        if (handOvers == null) {
          handOvers = new HandOvers(locker.handOvers);
        }
        now = handOvers.oneMore(locker.now());
      }
    }
    if (successor == null) {
      endIfUnused();
    } else if (!now) {
      successor.askBy(locker.now() + locker.handOvers.stepBack().toNanos());
    }
    return now ? successor : null;
  }

  /** The claim no longer holds keys through this line. */
  void left(Claim claim) {
    Waiter next;
    synchronized (this) {
      if (claim.equals(holder)) {
        holder = null;
      }
      next = holder == null && !hasSteppedBack() ? first : null;
    }
    endIfUnused();
    if (next != null && !locker.claims.isClosed()) {
      next.wake(false);
    }
  }

  private boolean hasSteppedBack() {
    return handOvers != null && handOvers.hasSteppedBack();
  }

  private void endIfUnused() {
    Disposable subscription;
    synchronized (this) {
      if (over || first != null || holder != null) {
        return;
      }
      over = true;
      subscription = wakeUps;
      wakeUps = null;
    }
    locker.lines.remove(this);
    if (subscription != null) {
      subscription.dispose();
    }
  }

  private void expectHandOver() {
    if (!expectsHandOver) {
      expectsHandOver = true;
      expectedSince = locker.now();
    }
  }

  /** One timer for the whole line, as there are too many hand-overs for one each. */
  private void watchHandOver() {
    synchronized (this) {
      if (handOverWatched || !expectsHandOver || over) {
        return;
      }
      handOverWatched = true;
    }
    locker.wheel.after(HAND_OVER_TIMEOUT, this::checkHandOver);
  }

  private void checkHandOver() {
    Waiter waiter = null;
    synchronized (this) {
      handOverWatched = false;
      if (expectsHandOver && locker.now() - expectedSince >= HAND_OVER_TIMEOUT.toNanos()) {
        expectsHandOver = false;
        waiter = first;
      }
    }
    if (waiter != null) {
      waiter.wake(false);
    } else {
      watchHandOver();
    }
  }
}
