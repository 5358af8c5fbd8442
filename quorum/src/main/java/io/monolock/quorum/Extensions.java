// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;

/** The extensions under way, for a release to end what they have not done yet. */
final class Extensions {

  private final List<Member> members;
  private final QuorumSettings settings;
  private final Map<Held, Set<QuorumExtend>> underWay = new ConcurrentHashMap<>();

  private record Held(LockKeys keys, String token) {}

  Extensions(List<Member> members, QuorumSettings settings) {
    this.members = members;
    this.settings = settings;
  }

  Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return Mono.deferContextual(
        context -> {
          Held held = new Held(keys, token);
          QuorumExtend extension =
              new QuorumExtend(
                  members, settings, keys, token, ttl, context, one -> remove(held, one));
          add(held, extension);
          return extension.run();
        });
  }

  /** The keys are about to be released by their holder. */
  void end(LockKeys keys, String token) {
    underWay.computeIfPresent(
        new Held(keys, token),
        (any, extensions) -> {
          extensions.forEach(QuorumExtend::end);
          return extensions;
        });
  }

  private void add(Held held, QuorumExtend extension) {
    underWay.compute(
        held,
        (any, known) -> {
          Set<QuorumExtend> all = known == null ? new HashSet<>() : known;
          all.add(extension);
          return all;
        });
  }

  private void remove(Held held, QuorumExtend extension) {
    underWay.computeIfPresent(
        held,
        (any, known) -> {
          known.remove(extension);
          return known.isEmpty() ? null : known;
        });
  }

  /** How many locks are being extended. */
  int size() {
    return underWay.size();
  }
}
