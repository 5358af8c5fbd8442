// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.Lock;
import io.monolock.LockException;
import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import io.monolock.ReactiveLocker;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Runs work on one of several instances: for consumers, projections and crons.
 *
 * <pre>{@code
 * Leadership leadership = Leadership.of(locker, "projection", Duration.ofSeconds(10));
 * Flux<Event> applied = leadership.whileLeader(events);
 * }</pre>
 *
 * <p>Every instance of a service makes one for the same key. The one that holds the lock is the
 * leader; the ttl is how long it takes until another one follows a leader that has died. One {@code
 * Leadership} is for one piece of work: another one has another key and another {@code Leadership}.
 * Instances are safe for use by any number of threads.
 *
 * <p>Not promised: that no two instances ever believe to lead at the same moment. A lock is a
 * lease; see {@link ReactiveLocker}.
 */
public final class Leadership {

  /** The status of an instance. */
  public enum Status {
    /** It does not want to lead: {@link #whileLeader} has no subscriber. */
    IDLE,
    /** It waits to become the leader. */
    WAITING,
    /** It wants to lead, but the store is in trouble. */
    TROUBLED,
    /** It leads. */
    LEADING
  }

  /**
   * A change of the status of an instance.
   *
   * @param status the new status
   * @param reason why, if something went wrong: the {@link LockLostException} of the lock that it
   *     had as the leader, or the {@link LockStoreException} of an attempt to get it
   */
  public record Change(Status status, Optional<LockException> reason) {}

  private static final Duration LONGEST_WAIT = Duration.ofDays(365);

  private final ReactiveLocker locker;
  private final String key;
  private final LockOptions options;
  private final Scheduler timer;
  private final LeadershipState state;

  private Leadership(ReactiveLocker locker, String key, LockOptions options, Scheduler timer) {
    Objects.requireNonNull(locker.tryAcquire(key, options)); // throws if the key breaks a rule
    this.locker = locker;
    this.key = key;
    this.options = options;
    this.timer = timer;
    this.state = new LeadershipState(key);
  }

  /**
   * The leadership over a key.
   *
   * @param locker takes the lock
   * @param key the key, the same on all instances and for nothing else
   * @param options how to hold the lock; {@code waitAtMost} does not count for {@link
   *     #whileLeader}, which waits for ever, nor for {@link #oncePer}, which does not wait
   * @return a new leadership; nothing is sent yet
   * @throws IllegalArgumentException when the key breaks a rule
   */
  public static Leadership of(ReactiveLocker locker, String key, LockOptions options) {
    return of(locker, key, options, Schedulers.parallel());
  }

  /** With the timer of the pauses after trouble. */
  static Leadership of(ReactiveLocker locker, String key, LockOptions options, Scheduler timer) {
    return new Leadership(locker, key, options, timer);
  }

  /**
   * The leadership over a key, with the locker's default options.
   *
   * @param locker takes the lock
   * @param key the key, the same on all instances and for nothing else
   * @param ttl how long the lock of a leader that has died stands in the way of the next one, 10 ms
   *     to 365 days
   * @return a new leadership; nothing is sent yet
   * @throws IllegalArgumentException when the key or the ttl breaks a rule
   */
  public static Leadership of(ReactiveLocker locker, String key, Duration ttl) {
    return of(locker, key, locker.defaults().ttl(ttl));
  }

  /**
   * Runs work while this instance leads, as {@link #whileLeader(Function)} does.
   *
   * @param work subscribed each time when this instance becomes the leader
   * @param <T> the type of the elements
   * @return the elements of the work, and its end
   */
  public <T> Flux<T> whileLeader(Flux<T> work) {
    Objects.requireNonNull(work, "work");
    return whileLeader(lock -> work);
  }

  /**
   * Runs work while this instance leads.
   *
   * <p>One subscription waits, for ever if need be, until this instance gets the lock; then it
   * subscribes the work and keeps the lock alive meanwhile. When the lock is lost, the work is
   * cancelled first; then it contends again, and subscribes the work anew once it has the lock
   * again. So it is when the work {@linkplain Lock#release() releases} its {@link CurrentLock}:
   * this instance resigns, and contends like all others.
   *
   * <p>Outcomes:
   *
   * <ul>
   *   <li>the elements of the work, of all the times that this instance leads, one after the other;
   *   <li>completion when the work completes: this instance leads no more, the lock is free;
   *   <li>the work's own error, when the lock is free;
   *   <li>{@link LockStoreException} when the store refuses in a way that waiting cannot mend, and
   *       {@link LockerClosedException}. Passing trouble of the store is waited out, with growing
   *       pauses of up to 5 s, and reported by {@link #changes()} and one line of the log;
   *   <li>{@link IllegalStateException} when another subscription of this {@code Leadership} has
   *       not ended.
   * </ul>
   *
   * <p>Cancelled, it contends no more; the work is cancelled and the lock freed in the background,
   * at once or at the end of the work with {@link LockOptions#finishOnCancel}.
   *
   * <p>The work is called, subscribed and cancelled on the locker's {@code publishOn} scheduler,
   * and finds the lock as its {@link CurrentLock}.
   *
   * @param work given the lock, what to run as the leader; called each time when this instance
   *     becomes the leader
   * @param <T> the type of the elements
   * @return the elements of the work, and its end
   */
  public <T> Flux<T> whileLeader(Function<? super Lock, ? extends Publisher<T>> work) {
    Objects.requireNonNull(work, "work");
    return Flux.using(
        () -> state.enter(new ElectionAttempt(state)),
        attempt -> contend(attempt, work),
        state::leave);
  }

  private <T> Flux<T> contend(
      ElectionAttempt attempt, Function<? super Lock, ? extends Publisher<T>> work) {
    LockOptions untilElected =
        options.waitAtMost(LONGEST_WAIT).retry(attempt.reporting(options.retry()));
    return locker
        .withLockMany(key, untilElected, lock -> lock.whileHeldMany(lead(attempt, lock, work)))
        .retryWhen(attempt.retryAfterPause(timer));
  }

  private <T> Flux<T> lead(
      ElectionAttempt attempt, Lock lock, Function<? super Lock, ? extends Publisher<T>> work) {
    return Flux.<T>defer(
            () -> {
              attempt.elected(lock);
              return Objects.requireNonNull(work.apply(lock), "the work must not be null");
            })
        .doOnError(attempt::workFailed)
        .contextWrite(HeldLocks.with(locker, lock));
  }

  /**
   * The status of this instance, and each change of it. Never ends. Signalled where it changes: on
   * the thread that subscribes or cancels {@link #whileLeader}, or on the locker's {@code
   * publishOn} scheduler; do not block there. Cancelled, it signals no more.
   *
   * @return the present status first, then each change
   */
  public Flux<Change> changes() {
    return state.changes();
  }

  /**
   * Whether this instance leads at this moment. Exact, without a round trip.
   *
   * @return whether work runs under a lock that is valid
   */
  public boolean isLeader() {
    return state.isLeader();
  }

  /**
   * Runs a job once a period on one of all instances, whose clocks may differ. To be subscribed at
   * each tick, on every instance:
   *
   * <pre>{@code
   * Flux<Report> reports =
   *     Flux.interval(Duration.ofHours(1))
   *         .onBackpressureDrop()
   *         .concatMap(tick -> nightly.oncePer(Duration.ofHours(1), report));
   * }</pre>
   *
   * <p>One subscription makes one attempt to get the lock. The instance that gets it runs the job,
   * and leaves the lock behind until the time of {@link LockOptions#holdAtLeast} is over, by
   * default half of the period, counted from the grant. So a tick of another instance that comes up
   * to half a period later finds it taken, and the next tick of this one finds it free. Nothing but
   * the time since the grant counts, on the clock of the store: ticks of one period that are
   * further apart than {@code holdAtLeast} run the job twice, and a tick that comes sooner than
   * that after a run is skipped. A job that failed is not run again in its period either. If its
   * instance dies, the lock stands until its ttl ends, and the next tick after that runs the job.
   * While a job runs for longer than a period, ticks are skipped.
   *
   * <p>Outcomes:
   *
   * <ul>
   *   <li>the job's own: its value, its completion without one, or its error;
   *   <li>empty when it is not for this instance to run it in this period;
   *   <li>{@link LockLostException} as in every scope, {@link LockStoreException} when the store is
   *       in trouble: the job did not run here, and no other attempt is made before the next tick;
   *       {@link LockerClosedException}.
   * </ul>
   *
   * <p>Cancelled, the job is cancelled, and not run again in this period. It runs on the locker's
   * {@code publishOn} scheduler, and finds the lock as its {@link CurrentLock}. Do not use {@link
   * #whileLeader} with the same key: then the leader's lock stands in the way.
   *
   * @param period the time between two ticks of one instance, 20 ms to 365 days
   * @param job what to run
   * @param <T> the type of its value
   * @return the job's outcome, or empty
   * @throws IllegalArgumentException when the period is out of range, or {@code holdAtLeast} is not
   *     shorter than it
   */
  public <T> Mono<T> oncePer(Duration period, Mono<T> job) {
    Objects.requireNonNull(job, "job");
    LockOptions held = options.waitAtMost(Duration.ZERO).holdAtLeast(holdAtLeast(period));
    return Mono.defer(
        () -> {
          AtomicBoolean begun = new AtomicBoolean();
          return locker
              .withLock(
                  key,
                  held,
                  lock -> {
                    begun.set(true);
                    return job.contextWrite(HeldLocks.with(locker, lock));
                  })
              .onErrorResume(
                  LockNotAcquiredException.class,
                  notAcquired -> begun.get() ? Mono.error(notAcquired) : Mono.empty());
        });
  }

  private Duration holdAtLeast(Duration period) {
    if (period == null
        || period.compareTo(Duration.ofMillis(20)) < 0
        || period.compareTo(LONGEST_WAIT) > 0) {
      throw new IllegalArgumentException(
          "period must be between 20 ms and 365 days, was " + period);
    }
    Duration chosen = options.holdAtLeast();
    if (chosen.compareTo(period) >= 0) {
      throw new IllegalArgumentException(
          "holdAtLeast must be shorter than the period of " + period + ", was " + chosen);
    }
    return chosen.isZero() ? period.dividedBy(2) : chosen;
  }
}
