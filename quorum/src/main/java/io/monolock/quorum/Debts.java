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
 * The releases that a member still has to confirm: of keys that it granted to an attempt without a
 * majority, that it may have granted though its answer was lost, or that it did not release with
 * the other members.
 *
 * <p>Each is sent at once, and again until the member has answered, refuses for good, or the keys
 * have expired. While the member fails, only the oldest release is sent, after ever longer pauses;
 * once that succeeds, all are. There are at most {@value #MOST}; beyond that the oldest are
 * dropped, and their keys are left to the ttl.
 *
 * <p>An acquisition that is still unanswered can take effect after the release. So the release is
 * sent once more when the acquisition is answered, and only then counts as confirmed.
 */
final class Debts {

  static final int MOST = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(Debts.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Member member;
  private final QuorumSettings settings;
  private final Map<KeysAndToken, PendingRelease> unconfirmed =
      new LinkedHashMap<>(); // guarded by this
  private Duration pause = FIRST_PAUSE; // guarded by this
  private boolean failing; // guarded by this
  private boolean scheduled; // guarded by this
  private boolean closed; // guarded by this

  Debts(Member member, QuorumSettings settings) {
    this.member = member;
    this.settings = settings;
  }

  /**
   * Whether a release of the token is not confirmed yet; until then the member must not be asked to
   * grant the token the keys again.
   */
  synchronized boolean isReleasing(LockKeys keys, String token) {
    return unconfirmed.containsKey(new KeysAndToken(keys, token));
  }

  synchronized int size() {
    return unconfirmed.size();
  }

  /**
   * Releases the keys as soon as possible.
   *
   * @param acquisitions unanswered calls that may still take the keys
   * @param ttl how long the keys live at most
   * @return completes when the member has answered or failed, or after the time limit
   */
  Mono<Void> add(
      LockKeys keys,
      String token,
      List<? extends MemberCall<?>> acquisitions,
      Duration ttl,
      ContextView context) {
    PendingRelease release;
    synchronized (this) {
      if (closed) {
        return Mono.empty();
      }
      dropOldest();
      release =
          unconfirmed.computeIfAbsent(
              new KeysAndToken(keys, token), id -> new PendingRelease(id, context));
      release.until = settings.now() + ttl.toNanos();
      release.acquisitions += acquisitions.size();
    }
    Sinks.Empty<Void> outcome = Sinks.empty();
    attempt(release, outcome::tryEmitEmpty);
    acquisitions.forEach(call -> call.whenOver(() -> acquisitionAnswered(release)));
    return outcome.asMono();
  }

  private void dropOldest() {
    if (unconfirmed.size() >= MOST) {
      Iterator<PendingRelease> oldest = unconfirmed.values().iterator();
      oldest.next();
      oldest.remove();
    }
  }

  /** Sends nothing any more; keys that are left expire. */
  synchronized void close() {
    closed = true;
    unconfirmed.clear();
  }

  private void acquisitionAnswered(PendingRelease release) {
    synchronized (this) {
      release.acquisitions--;
    }
    attempt(release);
  }

  private void attempt(PendingRelease release) {
    attempt(release, () -> {});
  }

  private void attempt(PendingRelease release, Runnable onOutcome) {
    if (!begin(release)) {
      onOutcome.run();
      return;
    }
    Mono<Boolean> request =
        member.call(
            () -> member.store.release(release.id.keys(), release.id.token(), Duration.ZERO));
    MemberCall<Boolean> call =
        new MemberCall<>(member, request, settings, release.context, any -> onOutcome.run());
    call.whenOver(() -> answered(release, call));
    call.send(settings.memberTimeout());
  }

  private synchronized boolean begin(PendingRelease release) {
    if (!release.equals(unconfirmed.get(release.id))) {
      return false;
    }
    release.again = release.underWay;
    if (release.underWay) {
      return false;
    }
    release.underWay = true;
    return true;
  }

  private void answered(PendingRelease release, MemberCall<Boolean> call) {
    StoreFailure failure = call.answer() == null ? call.failure() : null;
    boolean again;
    synchronized (this) {
      release.underWay = false;
      again = release.again && failure == null;
      if (failure == null) {
        failing = false;
        pause = FIRST_PAUSE;
      } else {
        failing = true;
      }
      boolean isOver =
          failure == null ? release.acquisitions == 0 && !again : !failure.isTransient();
      if (isOver) {
        unconfirmed.remove(release.id, release);
      }
    }
    if (failure != null) {
      LOG.debug("{} could not release {} yet", member, release.id, failure);
    }
    if (again) {
      attempt(release);
    }
    schedule();
  }

  private void schedule() {
    Duration delay;
    synchronized (this) {
      if (scheduled || unconfirmed.values().stream().noneMatch(PendingRelease::isDue)) {
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
    List<PendingRelease> due = new ArrayList<>();
    synchronized (this) {
      scheduled = false;
      long now = settings.now();
      unconfirmed.values().removeIf(release -> release.until - now <= 0);
      for (PendingRelease release : unconfirmed.values()) {
        if (release.isDue() && (!failing || due.isEmpty())) {
          due.add(release);
        }
      }
    }
    due.forEach(this::attempt);
  }

  private static final class PendingRelease {
    final KeysAndToken id;
    final ContextView context;
    long until;
    int acquisitions;
    boolean underWay;
    boolean again;

    PendingRelease(KeysAndToken id, ContextView context) {
      this.id = id;
      this.context = context;
    }

    /**
     * Whether neither the release nor an acquisition is unanswered, so that the release can be sent
     * again.
     */
    boolean isDue() {
      return !underWay && acquisitions == 0;
    }
  }
}
