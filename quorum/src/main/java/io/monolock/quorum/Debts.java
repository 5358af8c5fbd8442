// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

/**
 * The releases that a member has to confirm: of what it granted in vain, may have granted without
 * saying so, or did not free with the others.
 *
 * <p>Each is asked for at once, and again until the member has answered, refuses for good, or the
 * keys have ended by themselves. While the member fails, only the oldest one is tried, after ever
 * longer pauses; once that succeeds, all are. There are at most {@value #MOST}; beyond that the
 * oldest are left to their ttl.
 *
 * <p>A grant that is still unanswered can take effect after the release. So the release is asked
 * for once more when it is answered, and only then is the debt settled.
 */
final class Debts {

  static final int MOST = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(Debts.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Member member;
  private final QuorumSettings settings;
  private final Map<Owed, Debt> open = new LinkedHashMap<>(); // guarded by this
  private Duration pause = FIRST_PAUSE; // guarded by this
  private boolean failing; // guarded by this
  private boolean scheduled; // guarded by this
  private boolean closed; // guarded by this

  private record Owed(LockKeys keys, String token) {

    @Override
    public String toString() {
      return keys.toString();
    }
  }

  Debts(Member member, QuorumSettings settings) {
    this.member = member;
    this.settings = settings;
  }

  /** Whether a release of the token is not confirmed yet, so that it may not take keys again. */
  synchronized boolean owes(LockKeys keys, String token) {
    return open.containsKey(new Owed(keys, token));
  }

  synchronized int size() {
    return open.size();
  }

  /**
   * Releases the keys as soon as possible.
   *
   * @param grants calls that may still take the keys
   * @param ttl how long the keys live at most
   * @return completes when the member has been heard of, or was silent for as long as it may be
   */
  Mono<Void> add(
      LockKeys keys,
      String token,
      List<? extends MemberCall<?>> grants,
      Duration ttl,
      ContextView context) {
    Debt debt;
    synchronized (this) {
      if (closed) {
        return Mono.empty();
      }
      dropOldest();
      debt = open.computeIfAbsent(new Owed(keys, token), owed -> new Debt(owed, context));
      debt.until = settings.now() + ttl.toNanos();
      debt.grants += grants.size();
    }
    Sinks.Empty<Void> heard = Sinks.empty();
    attempt(debt, heard::tryEmitEmpty);
    grants.forEach(grant -> grant.whenOver(() -> granted(debt)));
    return heard.asMono();
  }

  private void dropOldest() {
    if (open.size() >= MOST) {
      Iterator<Debt> oldest = open.values().iterator();
      oldest.next();
      oldest.remove();
    }
  }

  /** Tries no more; what is left ends by its ttl. */
  synchronized void close() {
    closed = true;
    open.clear();
  }

  private void granted(Debt debt) {
    synchronized (this) {
      debt.grants--;
    }
    attempt(debt);
  }

  private void attempt(Debt debt) {
    attempt(debt, () -> {});
  }

  private void attempt(Debt debt, Runnable heard) {
    if (!begin(debt)) {
      heard.run();
      return;
    }
    Mono<Boolean> release =
        member.call(() -> member.store.release(debt.owed.keys, debt.owed.token, Duration.ZERO));
    MemberCall<Boolean> question =
        new MemberCall<>(member, release, settings, debt.context, any -> heard.run());
    question.whenOver(() -> answered(debt, question));
    question.ask(settings.memberTimeout());
  }

  private synchronized boolean begin(Debt debt) {
    if (!debt.equals(open.get(debt.owed))) {
      return false;
    }
    debt.again = debt.asking;
    if (debt.asking) {
      return false;
    }
    debt.asking = true;
    return true;
  }

  private void answered(Debt debt, MemberCall<Boolean> question) {
    StoreFailure failure = question.answer() == null ? question.failure() : null;
    boolean again;
    synchronized (this) {
      debt.asking = false;
      again = debt.again && failure == null;
      if (failure == null) {
        failing = false;
        pause = FIRST_PAUSE;
      } else {
        failing = true;
      }
      boolean settled = failure == null ? debt.grants == 0 && !again : !failure.isTransient();
      if (settled) {
        open.remove(debt.owed, debt);
      }
    }
    if (failure != null) {
      LOG.debug("{} could not release {} yet", member, debt.owed, failure);
    }
    if (again) {
      attempt(debt);
    }
    schedule();
  }

  private void schedule() {
    Duration delay;
    synchronized (this) {
      if (scheduled || open.values().stream().noneMatch(Debt::isDue)) {
        return;
      }
      scheduled = true;
      delay = pause;
      if (failing) {
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
      }
    }
    var unused = settings.after(delay, this::tryAgain);
  }

  private void tryAgain() {
    List<Debt> due = new ArrayList<>();
    synchronized (this) {
      scheduled = false;
      long now = settings.now();
      open.values().removeIf(debt -> debt.until - now <= 0);
      for (Debt debt : open.values()) {
        if (debt.isDue() && (!failing || due.isEmpty())) {
          due.add(debt);
        }
      }
    }
    due.forEach(this::attempt);
  }

  private static final class Debt {
    final Owed owed;
    final ContextView context;
    long until;
    int grants;
    boolean asking;
    boolean again;

    Debt(Owed owed, ContextView context) {
      this.owed = owed;
      this.context = context;
    }

    /** Waits for neither the answer to a release nor that to a grant. */
    boolean isDue() {
      return !asking && grants == 0;
    }
  }
}
