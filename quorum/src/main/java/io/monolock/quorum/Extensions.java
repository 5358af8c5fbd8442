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

/** The extensions under way, so that a release can end what they have not done yet. */
final class Extensions {

  private final List<Member> members;
  private final QuorumSettings settings;
  private final Map<KeysAndToken, Set<QuorumExtend>> underWay = new ConcurrentHashMap<>();

  Extensions(List<Member> members, QuorumSettings settings) {
    this.members = members;
    this.settings = settings;
  }

  Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return Mono.deferContextual(
        context -> {
          KeysAndToken id = new KeysAndToken(keys, token);
          QuorumExtend extension =
              new QuorumExtend(
                  members, settings, keys, token, ttl, context, one -> remove(id, one));
          add(id, extension);
          return extension.run();
        });
  }

  /** Ends the extensions of keys that their holder is about to release. */
  void end(LockKeys keys, String token) {
    underWay.computeIfPresent(
        new KeysAndToken(keys, token),
        (any, extensions) -> {
          extensions.forEach(QuorumExtend::end);
          return extensions;
        });
  }

  private void add(KeysAndToken id, QuorumExtend extension) {
    underWay.compute(
        id,
        (any, known) -> {
          Set<QuorumExtend> all = known == null ? new HashSet<>() : known;
          all.add(extension);
          return all;
        });
  }

  private void remove(KeysAndToken id, QuorumExtend extension) {
    underWay.computeIfPresent(
        id,
        (any, known) -> {
          known.remove(extension);
          return known.isEmpty() ? null : known;
        });
  }

  /** How many locks are being id. */
  int size() {
    return underWay.size();
  }
}
