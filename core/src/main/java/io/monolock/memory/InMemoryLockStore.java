// SPDX-License-Identifier: Apache-2.0
package io.monolock.memory;

import static java.util.Comparator.naturalOrder;

import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.Incarnation;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreHealth;
import io.monolock.store.StoreProblem;
import io.monolock.store.Transfer;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink.OverflowStrategy;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Keeps locks in the memory of this JVM: for tests and for programs of a single process. Each store
 * has keys of its own.
 *
 * <p>A call takes effect in one step when it is subscribed, in the thread that subscribes, and
 * signals there; cancelling it has no effect. Expired keys count as free at once, and are dropped
 * at the latest when the number of keys has doubled.
 *
 * <p>All fencing numbers of a store come from one counter, so they increase over all keys. It never
 * falls behind the microseconds of the clock, so the numbers also increase over restarts of the
 * program, as long as its clock does.
 */
public final class InMemoryLockStore implements LockStore {

  private static final int FIRST_SWEEP = 1_024;
  private static final Duration LONG_AGO = Duration.ofDays(10_000);

  private static final AtomicLong CREATED = new AtomicLong();

  private final Scheduler clock;
  private final String name = "memory " + CREATED.incrementAndGet();
  private volatile boolean isMember;

  // everything below is guarded by this, which is never held while a subscriber is signalled
  private final Map<String, Entry> entries = new HashMap<>();
  private final Waiters waiters;
  private final Set<Runnable> toWake = new LinkedHashSet<>();
  private int sweepAt = FIRST_SWEEP;
  private long lastNumber;
  private long forgotAt;
  private boolean closed;

  private InMemoryLockStore(Scheduler clock) {
    this.clock = clock;
    this.forgotAt = clock.now(TimeUnit.NANOSECONDS);
    this.waiters = new Waiters(clock, this::expired);
  }

  /**
   * An empty store that measures the time to live of its keys with the clock of {@link
   * Schedulers#parallel()}: the machine's monotonic clock, or virtual time if that is enabled.
   *
   * @return a new store
   */
  public static InMemoryLockStore create() {
    return create(Schedulers.parallel());
  }

  /**
   * An empty store.
   *
   * @param clock what the time to live of the keys is measured with, by its {@code now} in
   *     nanoseconds; it is also the timer that wakes waiters when a key expires
   * @return a new store
   */
  public static InMemoryLockStore create(Scheduler clock) {
    return new InMemoryLockStore(Objects.requireNonNull(clock, "clock must not be null"));
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return atomically(now -> take(keys, token, metadata, ttl, fenced, now));
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return atomically(
        now -> holdsAll(keys, token, now) && replaceAll(keys, now, e -> e.endingAfter(now, ttl)));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return atomically(now -> holdsAll(keys, token, now) && free(keys, keepFor, now));
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return atomically(
        now -> {
          if (!holdsAll(keys, token, now)) {
            return Duration.ZERO;
          }
          return entriesOf(keys, now).map(e -> e.remaining(now)).min(naturalOrder()).orElseThrow();
        });
  }

  @Override
  public Mono<Transfer> transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    return atomically(
        now -> {
          boolean released = holdsAll(keys, from, now) && free(keys, Duration.ZERO, now);
          return new Transfer(released, take(keys, to, metadata, ttl, fenced, now));
        });
  }

  @Override
  public Mono<Boolean> raiseFence(LockKeys keys, String token, long number) {
    return atomically(
        now -> {
          if (!holdsAll(keys, token, now)) {
            return false;
          }
          lastNumber = Math.max(lastNumber, number);
          return replaceAll(keys, now, e -> e.numbered(Math.max(e.number, number)));
        });
  }

  /**
   * {@inheritDoc}
   *
   * <p>Every store counts as a server of its own, which has forgotten nothing since it was created.
   */
  @Override
  public void becomeMember() {
    isMember = true;
  }

  @Override
  public Mono<Void> declareNew() {
    return atomically(now -> forgotAt = now - LONG_AGO.toNanos()).then();
  }

  private Incarnation incarnation(long now) {
    return new Incarnation(name, Duration.ofNanos(now - forgotAt));
  }

  @Override
  public Mono<Holder> inspect(String key) {
    return atomically(
            now ->
                entriesOf(LockKeys.of(key), now)
                    .findFirst()
                    .map(
                        e ->
                            new Holder(
                                key, Optional.of(e.metadata), Optional.of(e.remaining(now)))))
        .flatMap(Mono::justOrEmpty);
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return atomically(
        now -> {
          boolean held = entriesOf(LockKeys.of(key), now).findFirst().isPresent();
          remove(key);
          return held;
        });
  }

  /**
   * {@inheritDoc}
   *
   * <p>Emits when one of the keys is released, freed or expires: in the thread of that call, or in
   * one of the clock.
   */
  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return Flux.create(
        sink -> {
          Runnable waiter = () -> sink.next(keys);
          await(keys, waiter);
          waiter.run();
          sink.onDispose(() -> leave(keys, waiter));
        },
        OverflowStrategy.LATEST);
  }

  private synchronized void await(LockKeys keys, Runnable waiter) {
    long now = clock.now(TimeUnit.NANOSECONDS);
    for (String key : keys.asList()) {
      waiters.add(key, waiter);
      Entry entry = live(key, now);
      if (entry != null) {
        waiters.endsAfter(key, entry.end - now);
      }
    }
  }

  private synchronized void leave(LockKeys keys, Runnable waiter) {
    keys.asList().forEach(key -> waiters.remove(key, waiter));
  }

  /**
   * Wakes the waiters of a key whose timer has fired, or arms the timer again if the key was
   * extended.
   */
  private void expired(String key) {
    List<Runnable> woken;
    synchronized (this) {
      long now = clock.now(TimeUnit.NANOSECONDS);
      Entry entry = live(key, now);
      if (entry != null) {
        waiters.endsAfter(key, entry.end - now);
        return;
      }
      woken = List.copyOf(waiters.of(key));
    }
    woken.forEach(Runnable::run);
  }

  @Override
  public Mono<StoreHealth> health() {
    return atomically(now -> new StoreHealth("memory", Optional.of(true)));
  }

  @Override
  public Mono<Void> close() {
    return Mono.fromRunnable(
        () -> {
          synchronized (this) {
            closed = true;
            entries.clear();
          }
        });
  }

  /** How many keys are in memory, including expired ones. */
  synchronized int size() {
    return entries.size();
  }

  /** How many keys have waiters. */
  synchronized int awaitedKeys() {
    return waiters.size();
  }

  /**
   * Runs one step of the store, given the present time, and then wakes the waiters of the keys that
   * it freed.
   */
  private <T> Mono<T> atomically(LongFunction<T> step) {
    return Mono.fromCallable(
        () -> {
          T result;
          List<Runnable> woken;
          synchronized (this) {
            if (closed) {
              throw new StoreFailure(
                  StoreProblem.Reason.UNAVAILABLE, false, "the store is closed", null);
            }
            result = step.apply(clock.now(TimeUnit.NANOSECONDS));
            woken = List.copyOf(toWake);
            toWake.clear();
          }
          woken.forEach(Runnable::run);
          return result;
        });
  }

  private Grant take(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced, long now) {
    Optional<Duration> foreign =
        entriesOf(keys, now)
            .filter(e -> !e.token.equals(token))
            .map(e -> e.remaining(now))
            .max(naturalOrder());
    if (foreign.isPresent()) {
      return new Grant.Busy(foreign);
    }
    boolean fresh = entriesOf(keys, now).findAny().isEmpty();
    OptionalLong number =
        fenced ? OptionalLong.of(numberFor(keys, token, now)) : OptionalLong.empty();
    for (String key : keys.asList()) {
      Entry before = live(key, now);
      Entry mine = before == null ? new Entry(token, metadata, 0, now) : before.with(metadata);
      put(key, mine.numbered(number.orElse(mine.number)).endingAfter(now, ttl), now);
    }
    sweep(now);
    return new Grant.Granted(
        fresh, number, isMember ? Optional.of(incarnation(now)) : Optional.empty());
  }

  /** The same number if the acquisition is repeated, else a new one. */
  private long numberFor(LockKeys keys, String token, long now) {
    if (holdsAll(keys, token, now)) {
      long[] numbers = entriesOf(keys, now).mapToLong(e -> e.number).distinct().toArray();
      if (numbers.length == 1 && numbers[0] > 0) {
        return numbers[0];
      }
    }
    long micros = TimeUnit.MILLISECONDS.toMicros(clock.now(TimeUnit.MILLISECONDS));
    lastNumber = Math.max(lastNumber + 1, micros);
    return lastNumber;
  }

  private boolean free(LockKeys keys, Duration keepFor, long now) {
    if (!keepFor.isZero()) {
      return replaceAll(keys, now, e -> e.endingAt(now + keepFor.toNanos()));
    }
    keys.asList().forEach(this::remove);
    return true;
  }

  private boolean holdsAll(LockKeys keys, String token, long now) {
    return entriesOf(keys, now).filter(e -> e.token.equals(token)).count() == keys.size();
  }

  private boolean replaceAll(LockKeys keys, long now, UnaryOperator<Entry> change) {
    for (String key : keys.asList()) {
      Entry entry = entries.get(key);
      if (entry != null) {
        put(key, change.apply(entry), now);
      }
    }
    return true;
  }

  private void put(String key, Entry entry, long now) {
    entries.put(key, entry);
    waiters.endsAfter(key, entry.end - now);
    toWake.removeAll(waiters.of(key));
  }

  private void remove(String key) {
    entries.remove(key);
    toWake.addAll(waiters.of(key));
  }

  private Stream<Entry> entriesOf(LockKeys keys, long now) {
    return keys.asList().stream().map(key -> live(key, now)).filter(Objects::nonNull);
  }

  private @Nullable Entry live(String key, long now) {
    Entry entry = entries.get(key);
    return entry == null || entry.isExpired(now) ? null : entry;
  }

  /**
   * Drops expired keys whenever the number of keys has doubled, so that the cost per acquisition is
   * constant.
   */
  private void sweep(long now) {
    if (entries.size() >= sweepAt) {
      entries.values().removeIf(entry -> entry.isExpired(now));
      sweepAt = Math.max(FIRST_SWEEP, 2 * entries.size());
    }
  }

  /**
   * The holder of a key, and until when.
   *
   * @param number the fencing number, 0 when none
   * @param end in nanoseconds of the clock, which may overflow
   */
  private record Entry(String token, String metadata, long number, long end) {

    Entry with(String newMetadata) {
      return new Entry(token, newMetadata, number, end);
    }

    Entry numbered(long newNumber) {
      return new Entry(token, metadata, newNumber, end);
    }

    Entry endingAt(long newEnd) {
      return new Entry(token, metadata, number, newEnd);
    }

    /** Ends after the ttl, or at its present end if that is later. */
    Entry endingAfter(long now, Duration ttl) {
      return endingAt(now + Math.max(end - now, ttl.toNanos()));
    }

    boolean isExpired(long now) {
      return end - now <= 0;
    }

    Duration remaining(long now) {
      return Duration.ofNanos(end - now);
    }
  }
}
