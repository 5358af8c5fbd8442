// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.FluxSink.OverflowStrategy;

/**
 * Merges the wake-ups of the members. They are passed on after a few milliseconds, as one: a
 * release reaches the members one after the other, and an attempt made when only the first one is
 * free fails. The delay is random, so that waiters woken together do not take the members from each
 * other.
 *
 * <p>A wake-up may be an echo of the waiter's own attempt, which took the keys at a member, got no
 * majority and released them. Trying again for an echo would cause the next one. So the wake-ups of
 * the members at which the last attempt did that are ignored.
 */
final class QuorumWakeUps {

  private static final Logger LOG = LoggerFactory.getLogger(QuorumWakeUps.class);
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofMillis(5);

  private final Quorum quorum;
  private final Map<LockKeys, Awaited> awaited = new ConcurrentHashMap<>();

  /**
   * Keys that have waiters.
   *
   * @param waiters the number of waiters
   * @param echoing the members whose wake-ups are ignored
   */
  private record Awaited(int waiters, Set<Member> echoing) {}

  QuorumWakeUps(Quorum quorum) {
    this.quorum = quorum;
  }

  Flux<LockKeys> of(LockKeys keys) {
    return Flux.create(sink -> subscribe(keys, sink), OverflowStrategy.LATEST);
  }

  /**
   * Ignores these members until the next attempt: the last one has taken the keys there and
   * released them.
   */
  void ignoreFrom(LockKeys keys, Set<Member> echoing) {
    awaited.computeIfPresent(keys, (any, known) -> new Awaited(known.waiters, echoing));
  }

  private void subscribe(LockKeys keys, FluxSink<LockKeys> sink) {
    awaited.compute(
        keys,
        (any, known) ->
            known == null
                ? new Awaited(1, Set.of())
                : new Awaited(known.waiters + 1, known.echoing));
    AtomicBoolean pending = new AtomicBoolean();
    Disposable.Composite all = Disposables.composite();
    for (Member member : quorum.members()) {
      all.add(
          Flux.defer(() -> member.store.wakeUps(keys))
              .subscribe(
                  any -> onWakeUp(member, keys, sink, pending),
                  e -> LOG.warn("{} gives no more wake-ups for {}", member, keys, e)));
    }
    sink.onDispose(
        () -> {
          all.dispose();
          leave(keys);
        });
  }

  private void leave(LockKeys keys) {
    awaited.computeIfPresent(
        keys,
        (any, known) -> known.waiters == 1 ? null : new Awaited(known.waiters - 1, known.echoing));
  }

  private void onWakeUp(
      Member member, LockKeys keys, FluxSink<LockKeys> sink, AtomicBoolean pending) {
    Awaited known = awaited.get(keys);
    if ((known == null || !known.echoing.contains(member)) && pending.compareAndSet(false, true)) {
      long nanos = quorum.settings().random().get().nextLong(SHORTEST.toNanos(), LONGEST.toNanos());
      var unused =
          quorum
              .settings()
              .after(
                  Duration.ofNanos(nanos),
                  () -> {
                    pending.set(false);
                    sink.next(keys);
                  });
    }
  }

  /** How many sets of keys have waiters. */
  int size() {
    return awaited.size();
  }
}
