// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.quorum.MemberLease.Kind;
import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

  private static final Logger LOG = LoggerFactory.getLogger(QuorumExtend.class);

  private final Quorum quorum;
  private final LockKeys keys;
  private final QuorumLease lease;
  private final Duration ttl;

  private final Map<Member, Long> releases = new HashMap<>(); // before, guarded by this
  private final List<Member> without = new ArrayList<>(); // guarded by this
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
    synchronized (this) {
      releases.put(call.member, there.releases());
    }
    call.whenOver(() -> answered(call, context));
    there.enter(Kind.EXTEND, keys, ttl, call);
  }

  private void answered(MemberCall<Boolean> call, ContextView context) {
    Boolean held = call.answer();
    List<Member> toRestore = List.of();
    Member source;
    synchronized (this) {
      if (held != null && held) {
        holders++;
        holder = call.member;
      } else if (held != null) {
        without.add(call.member);
      }
      source = holder;
      if (holders > quorum.members().size() / 2) {
        toRestore = List.copyOf(without);
        without.clear();
      }
    }
    if (source != null) {
      for (Member member : toRestore) {
        restore(member, source, context);
      }
    }
  }

  private void restore(Member member, Member source, ContextView context) {
    Mono<Holder> inspection = source.call(() -> source.store.inspect(keys.asList().get(0)));
    MemberCall<Holder> call = call(source, inspection, context);
    call.whenOver(
        () -> {
          Holder known = call.answer();
          if (known != null) {
            known.metadata().ifPresent(metadata -> write(member, metadata, context));
          }
        });
    call.send();
  }

  private <A> MemberCall<A> call(Member member, Mono<A> request, ContextView context) {
    return new MemberCall<>(member, request, quorum.settings(), context);
  }

  private void write(Member member, String metadata, ContextView context) {
    Mono<Grant> writing =
        member.call(() -> member.store.acquire(keys, lease.token, metadata, ttl, false));
    MemberCall<Grant> call = call(member, writing, context);
    call.whenOver(
        () -> LOG.debug("{} was asked to hold {} again: {}", member, keys, call.answer()));
    long before;
    synchronized (this) {
      before = releases.getOrDefault(member, 0L);
    }
    lease.at(member).restore(keys, ttl, call, before);
  }
}
