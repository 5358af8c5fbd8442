// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.quorum.MemberLease.Kind;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  private final List<Member> members;
  private final QuorumSettings settings;
  private final LockKeys keys;
  private final QuorumLease lease;
  private final Duration ttl;

  private final Map<Member, Long> positions = new HashMap<>(); // guarded by this
  private final List<Member> without = new ArrayList<>(); // guarded by this
  private @Nullable Member holder; // guarded by this
  private int holders; // guarded by this

  QuorumExtend(
      List<Member> members,
      QuorumSettings settings,
      LockKeys keys,
      QuorumLease lease,
      Duration ttl) {
    this.members = members;
    this.settings = settings;
    this.keys = keys;
    this.lease = lease;
    this.ttl = ttl;
  }

  Mono<Boolean> run() {
    Broadcast<Boolean> broadcast =
        new Broadcast<>(members, settings, member -> member.store.extend(keys, lease.token, ttl));
    return broadcast
        .by(this::enter)
        .ask(Broadcast::yesOrNo)
        .doOnNext(
            extended -> {
              // the handle may end as soon as the answer is known
              broadcast.calls().forEach(call -> call.drop("was not needed"));
              if (extended) {
                lease.held(ttl);
              }
            });
  }

  private void enter(MemberCall<Boolean> call, ContextView context) {
    MemberLease there = lease.at(call.member);
    synchronized (this) {
      positions.put(call.member, there.position());
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
      if (holders > members.size() / 2) {
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
    MemberCall<Holder> call = new MemberCall<>(source, inspection, settings, context, any -> {});
    call.whenOver(
        () -> {
          Holder known = call.answer();
          if (known != null) {
            known.metadata().ifPresent(metadata -> write(member, metadata, context));
          }
        });
    call.begin();
    call.send();
  }

  private void write(Member member, String metadata, ContextView context) {
    Mono<MemberGrant> writing =
        member
            .call(() -> member.store.acquire(keys, lease.token, metadata, ttl, false))
            .map(grant -> new MemberGrant(grant, Optional.empty()));
    MemberCall<MemberGrant> call = new MemberCall<>(member, writing, settings, context, any -> {});
    call.whenOver(
        () -> LOG.debug("{} was asked to hold {} again: {}", member, keys, call.answer()));
    long since;
    synchronized (this) {
      since = positions.getOrDefault(member, 0L);
    }
    lease.at(member).restore(keys, ttl, call, since);
  }
}
