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
 * Who is next for one set of keys in this locker.
 *
 * <h2>One asks, the others stand</h2>
 *
 * <p>Only the first in the line asks the store, as its retry spec says; the others stand behind it,
 * first come first served, and send nothing. The first one asks at once when it becomes the first
 * because the one before it gave up, as the keys may have become free in between.
 *
 * <h2>Hand-over</h2>
 *
 * <p>If the keys are held by this locker, their release gives them to the first in the line, in the
 * same command. So one who becomes the first because the one before it got the keys only asks if it
 * is not given them soon. See {@link HandOvers} for how others get their turn.
 *
 * <h2>Wake-ups</h2>
 *
 * <p>As soon as the first one was refused, the store's hints that the keys may be free are passed
 * on to whoever is the first. While they are held by this locker, the hints mostly are echoes of
 * our own commands; they are acted upon a little later, unless a hand-over comes first.
 *
 * <p>A line exists as long as somebody stands in it, or holds the keys through it. Nothing is
 * called while the monitor of a line is held.
 */
final class WaitLine {

  /** Somebody in a line. Its methods neither block nor throw. */
  interface Waiter {

    /** It is the first now, and asks. */
    void ask();

    /** Asks no later than at this time, if it is not asking already. */
    void askBy(long time);

    /**
     * The keys may be free: asks now; if it is asking already and is refused, then once more.
     *
     * @param forHints whether it is only to be told from now on when they are
     */
    void wake(boolean forHints);

    /**
     * Is given the keys by their release.
     *
     * @return false if it does not want them any more
     */
    boolean receive(Release release);
  }

  /** While somebody stands behind it, the first one asks at least this often. */
  static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** How long the first one relies on being handed the keys by their holder in this locker. */
  private static final Duration RELIANCE = Duration.ofMillis(10);

  private static final Logger LOG = LoggerFactory.getLogger(WaitLine.class);

  private final LockerContext runtime;
  private final LockKeys keys;

  private @Nullable LastAnswer lastAnswer;
  private @Nullable HandOvers handOvers;
  private @Nullable Waiter first;
  private @Nullable Set<Waiter> behind;
  private @Nullable Claim holder;

  /** The first one was refused by the store, or has somebody behind it. */
  private boolean contended;

  /** The first one has not asked lately, as it relies on a hand-over. */
  private boolean relying;

  private long relyingSince;
  private boolean watching;
  private boolean over;
  private @Nullable Disposable wakeUps;

  /** Whether the store has hinted anything; its first hint is that it begins to. */
  private boolean hinted;

  WaitLine(LockerContext runtime, LockKeys keys) {
    this.runtime = runtime;
    this.keys = keys;
  }

  LockKeys keys() {
    return keys;
  }

  /** What is known of the keys by those who wait for them. */
  synchronized LastAnswer lastAnswer() {
    if (lastAnswer == null) {
      lastAnswer = new LastAnswer();
    }
    return lastAnswer;
  }

  /** Puts the waiter at the end; false if this line is over, and another one has to be found. */
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
      first.askBy(runtime.now() + LONGEST_PAUSE.toNanos());
    }
    return true;
  }

  /** Whether somebody waits for these keys, and does not just try its luck. */
  synchronized boolean isContended() {
    return first != null && (contended || holder != null);
  }

  /** Whether whoever joins has to stand behind somebody. */
  synchronized boolean isOccupied() {
    return first != null;
  }

  synchronized boolean isOver() {
    return over;
  }

  synchronized boolean hasOthers() {
    return behind != null && !behind.isEmpty();
  }

  /** The first one was refused: from now on it hears when that may have changed. */
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
    listen();
  }

  private void listen() {
    Disposable hints =
        runtime
            .store
            .wakeUps(keys)
            .subscribe(any -> hint(), e -> LOG.warn("no more wake-ups for {}", keys, e));
    boolean superfluous;
    synchronized (this) {
      superfluous = over || wakeUps != null;
      if (!superfluous) {
        wakeUps = hints;
      }
    }
    if (superfluous) {
      hints.dispose();
    }
  }

  private void hint() {
    Waiter first;
    boolean begins;
    synchronized (this) {
      begins = !hinted;
      hinted = true;
      first = this.first;
      if (first == null) {
        return;
      }
      if (holder != null) {
        rely();
        first = null;
      }
    }
    if (first == null) {
      watch();
    } else {
      first.wake(begins);
    }
  }

  /** The waiter goes, without having got the keys. */
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
    endIfNobody();
    if (next != null && !runtime.claims.isClosed()) {
      next.ask();
    }
  }

  /**
   * The waiter has got the keys and leaves.
   *
   * @param byHandOver whether they were handed to it
   * @return whether it holds them through this line; one who never had to wait, and behind whom
   *     nobody stands, leaves no line behind
   */
  boolean served(Waiter waiter, Claim claim, boolean byHandOver) {
    boolean unnoticed;
    synchronized (this) {
      unnoticed = waiter.equals(first) && !contended && holder == null && handOvers == null;
      if (unnoticed) {
        first = null;
      }
    }
    if (unnoticed) {
      endIfNobody();
      return false;
    }
    synchronized (this) {
      if (!claim.isReleased()) {
        holder = claim;
      }
      lastAnswer().busy(runtime.now(), claim.options.ttl());
      if (!byHandOver && handOvers != null) {
        handOvers.taken();
      }
      if (waiter.equals(first)) {
        if (advance() != null) {
          rely();
        }
      } else if (behind != null) {
        behind.remove(waiter);
      }
    }
    endIfNobody();
    watch();
    return true;
  }

  private @Nullable Waiter advance() {
    first = null;
    relying = false;
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
   * A release is about to be sent: whom to hand the keys to.
   *
   * @return null when nobody waits, or when others are to get their turn
   */
  @Nullable Waiter successor(Claim from) {
    Waiter successor;
    boolean now = false;
    synchronized (this) {
      if (from.equals(holder)) {
        holder = null;
      }
      relying = false;
      successor = first;
      if (successor != null) {
        if (handOvers == null) {
          handOvers = new HandOvers(runtime.handOvers);
        }
        now = handOvers.oneMore(runtime.now());
      }
    }
    if (successor == null) {
      endIfNobody();
    } else if (!now) {
      successor.askBy(runtime.now() + runtime.handOvers.stepBack().toNanos());
    }
    return now ? successor : null;
  }

  /** What the claim held through this line, it holds no longer. */
  void left(Claim claim) {
    Waiter next;
    synchronized (this) {
      if (claim.equals(holder)) {
        holder = null;
      }
      next = holder == null && !hasSteppedBack() ? first : null;
    }
    endIfNobody();
    if (next != null && !runtime.claims.isClosed()) {
      next.wake(false);
    }
  }

  private boolean hasSteppedBack() {
    return handOvers != null && handOvers.hasSteppedBack();
  }

  private void endIfNobody() {
    Disposable hints;
    synchronized (this) {
      if (over || first != null || holder != null) {
        return;
      }
      over = true;
      hints = wakeUps;
      wakeUps = null;
    }
    runtime.lines.remove(this);
    if (hints != null) {
      hints.dispose();
    }
  }

  private void rely() {
    if (!relying) {
      relying = true;
      relyingSince = runtime.now();
    }
  }

  /** One timer for the whole line: hand-overs are too many for one each. */
  private void watch() {
    synchronized (this) {
      if (watching || !relying || over) {
        return;
      }
      watching = true;
    }
    runtime.wheel.after(RELIANCE, this::endReliance);
  }

  private void endReliance() {
    Waiter disappointed = null;
    synchronized (this) {
      watching = false;
      if (relying && runtime.now() - relyingSince >= RELIANCE.toNanos()) {
        relying = false;
        disappointed = first;
      }
    }
    if (disappointed != null) {
      disappointed.wake(false);
    } else {
      watch();
    }
  }
}
