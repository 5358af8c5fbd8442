// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.quorum.MemberLease.Kind;
import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Extends a lock at all members. If a majority holds it, it is written again at members that have
 * lost it or never had it; otherwise members that restart empty, one after the other, would end the
 * lock.
 *
 * <p>The metadata to write is read from a member that holds the keys. Where the keys were to be
 * released since the extension was asked for, nothing is written.
 */
final class QuorumExtend {

  /** A member without the keys, and how many releases there were before it was asked. */
  private record Lost(Member member, long releases, ContextView context) {}

  private final Quorum quorum;
  private final LockKeys keys;
  private final QuorumLease lease;
  private final Duration ttl;

  private final List<Lost> without = new ArrayList<>(); // guarded by this
  private @Nullable Member holder; // guarded by this
  private int holders; // guarded by this

  QuorumExtend(Quorum quorum, LockKeys keys, QuorumLease lease, Duration ttl) {
    this.quorum = quorum;
    this.keys = keys;
    this.lease = lease;
    this.ttl = ttl;
  }

  Mono<Boolean> run() {
    return new Broadcast<Boolean>(quorum, member -> member.store.extend(keys, lease.token, ttl))
        .by(this::enter)
        .ask(Broadcast::yesOrNo);
  }

  private void enter(MemberCall<Boolean> call, ContextView context) {
    MemberLease there = lease.at(call.member);
    Lost ifLost = new Lost(call.member, there.releases(), context);
    call.whenOver(() -> answered(call, ifLost));
    there.enter(Kind.EXTEND, keys, ttl, call, MemberLease.ANY);
  }

  private void answered(MemberCall<Boolean> call, Lost ifLost) {
    Boolean held = call.answer();
    List<Lost> toRestore = List.of();
    Member source;
    synchronized (this) {
      if (held != null && held) {
        holders++;
        holder = call.member;
      } else if (held != null) {
        without.add(ifLost);
      }
      source = holder;
      if (holders > quorum.members().size() / 2) {
        toRestore = List.copyOf(without);
        without.clear();
      }
    }
    if (source != null) {
      toRestore.forEach(lost -> restore(lost, source));
    }
  }

  private void restore(Lost lost, Member source) {
    MemberCall<Holder> call = call(source, lost, () -> source.store.inspect(keys.asList().get(0)));
    lease.enter(); // so that a release meanwhile is known to it
    call.whenOver(
        () -> {
          Holder known = call.answer();
          if (known != null) {
            known.metadata().ifPresent(metadata -> write(lost, metadata));
          }
          lease.leave();
        });
    call.send();
  }

  private void write(Lost lost, String metadata) {
    Member member = lost.member;
    MemberCall<Grant> call =
        call(member, lost, () -> member.store.acquire(keys, lease.token, metadata, ttl, false));
    lease.at(member).enter(Kind.RESTORE, keys, ttl, call, lost.releases);
  }

  private <A> MemberCall<A> call(Member member, Lost lost, Supplier<Mono<A>> request) {
    return new MemberCall<>(member, Mono.defer(request), quorum.settings(), lost.context);
  }
}
