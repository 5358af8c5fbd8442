// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.FluxSink.OverflowStrategy;

/**
 * Merges what members hint. A hint is passed on after some milliseconds, together with all that
 * come until then: a release reaches the members one after the other, and who tries when only the
 * first one is free tries in vain. That it is not the same time for everybody keeps those who are
 * woken together from taking the members from each other.
 *
 * <p>Some hints are echoes: what an attempt in vain took of a member, and gave back. Whoever tried
 * again for them would make the next ones. So a member is not listened to as long as it was such a
 * one at the last attempt.
 */
final class QuorumWakeUps {

  private static final Logger LOG = LoggerFactory.getLogger(QuorumWakeUps.class);
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofMillis(5);

  private final List<Member> members;
  private final QuorumSettings settings;
  private final Map<LockKeys, Awaited> awaited = new ConcurrentHashMap<>();

  /**
   * Keys that somebody waits for.
   *
   * @param waiters how many
   * @param echoing the members that the last attempt has caused to hint
   */
  private record Awaited(int waiters, Set<Member> echoing) {}

  QuorumWakeUps(List<Member> members, QuorumSettings settings) {
    this.members = members;
    this.settings = settings;
  }

  Flux<LockKeys> of(LockKeys keys) {
    return Flux.create(sink -> listen(keys, sink), OverflowStrategy.LATEST);
  }

  /** An attempt in vain has taken the keys of these members, and given them back. */
  void causedAt(LockKeys keys, Set<Member> echoing) {
    awaited.computeIfPresent(keys, (any, known) -> new Awaited(known.waiters, echoing));
  }

  private void listen(LockKeys keys, FluxSink<LockKeys> sink) {
    awaited.compute(
        keys,
        (any, known) ->
            known == null
                ? new Awaited(1, Set.of())
                : new Awaited(known.waiters + 1, known.echoing));
    AtomicBoolean pending = new AtomicBoolean();
    Disposable.Composite all = Disposables.composite();
    for (Member member : members) {
      all.add(
          Flux.defer(() -> member.store.wakeUps(keys))
              .subscribe(
                  any -> heard(member, keys, sink, pending),
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

  private void heard(Member member, LockKeys keys, FluxSink<LockKeys> sink, AtomicBoolean pending) {
    Awaited known = awaited.get(keys);
    if ((known == null || !known.echoing.contains(member)) && pending.compareAndSet(false, true)) {
      long nanos = ThreadLocalRandom.current().nextLong(SHORTEST.toNanos(), LONGEST.toNanos());
      var unused =
          settings.after(
              Duration.ofNanos(nanos),
              () -> {
                pending.set(false);
                sink.next(keys);
              });
    }
  }

  /** How many sets of keys somebody waits for. */
  int size() {
    return awaited.size();
  }
}
