// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.util.Objects.requireNonNull;

import io.monolock.LockActivity;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The leases of a locker that are not settled: to close and to list them, and to find the one of a
 * token that the user gave.
 */
final class LeaseRegistry {

  private final LockerContext locker;
  private final Set<Lease> leases = ConcurrentHashMap.newKeySet();
  private final ConcurrentMap<String, Lease> known = new ConcurrentHashMap<>();
  private final Sinks.Empty<Void> allSettled = Sinks.empty();
  private final AtomicBoolean closed = new AtomicBoolean();

  LeaseRegistry(LockerContext locker) {
    this.locker = locker;
  }

  boolean isClosed() {
    return closed.get();
  }

  int size() {
    return leases.size();
  }

  /**
   * The lease that a line asks for.
   *
   * @param token the user's, null for a new one
   */
  Lease open(WaitLine line, @Nullable String token) {
    Lease lease;
    do {
      lease = token == null ? new Lease(locker, locker.nextToken(), true) : of(token);
    } while (!lease.join(line));
    leases.add(lease);
    return lease;
  }

  /** The one lease of a token that user code knows. */
  Lease of(String token) {
    return requireNonNull(
        known.compute(
            token,
            (any, present) ->
                present == null || present.isSettled()
                    ? new Lease(locker, token, false)
                    : present));
  }

  /** User code knows a token of ours, and may come back with it. */
  void tokenIsKnown(Lease lease) {
    known.put(lease.token, lease);
  }

  /** The lease that stands for the token of this one now, which user code knows. */
  Lease present(Lease lease) {
    return lease.isSettled() ? of(lease.token) : lease;
  }

  /** Whether another lease stands for the token now. */
  boolean isReplaced(Lease lease) {
    return !lease.equals(known.getOrDefault(lease.token, lease));
  }

  void add(Lease lease) {
    leases.add(lease);
  }

  void remove(Lease lease) {
    if (!known.isEmpty()) {
      known.remove(lease.token, lease);
    }
    leases.remove(lease);
    signalIfAllSettled();
  }

  /** An operator frees this key: its lease must prove itself before it is passed on. */
  void forced(String key) {
    for (Lease lease : leases) {
      if (lease.handles().stream().anyMatch(handle -> handle.keys.asSet().contains(key))) {
        lease.neverPassOn();
      }
    }
  }

  /** From now on no lease is opened; true for the first caller. */
  boolean close() {
    return closed.compareAndSet(false, true);
  }

  /**
   * Ends all waiting and holding.
   *
   * @param now whether bodies with finishOnCancel have to end, too
   */
  void end(boolean now) {
    waiters().sorted(Comparator.comparingLong(waiter -> waiter.id)).forEach(w -> w.end(now));
    handles().sorted(Comparator.comparingLong(lock -> lock.id)).forEach(lock -> lock.close(now));
    signalIfAllSettled();
  }

  /** Ends releases that are unanswered. */
  void abandonReleases() {
    leases.stream().flatMap(lease -> lease.releases().stream()).forEach(Release::giveUp);
  }

  private Stream<AcquireSubscription> waiters() {
    Stream<WaitLine> single =
        leases.stream()
            .flatMap(lease -> lease.askers().stream())
            .filter(line -> line.kind == WaitLine.Kind.SINGLE);
    return Stream.concat(locker.lines.all().stream(), single)
        .flatMap(line -> line.waiters().stream());
  }

  private Stream<HeldLock> handles() {
    return leases.stream().flatMap(lease -> lease.handles().stream());
  }

  List<LockActivity> activity() {
    Stream<LockActivity> waiting = waiters().flatMap(waiter -> waiter.activity().stream());
    Stream<LockActivity> held = handles().flatMap(lock -> lock.activity().stream());
    Stream<LockActivity> releasing =
        leases.stream()
            .flatMap(lease -> lease.releases().stream())
            .flatMap(release -> Stream.ofNullable(release.handle()))
            .map(HeldLock::shown);
    return Stream.of(waiting, held, releasing)
        .flatMap(any -> any)
        .sorted(Comparator.comparingLong(LockActivity::id))
        .toList();
  }

  Mono<Void> allSettled() {
    return allSettled.asMono();
  }

  private void signalIfAllSettled() {
    if (closed.get() && leases.isEmpty()) {
      allSettled.tryEmitEmpty();
    }
  }
}
