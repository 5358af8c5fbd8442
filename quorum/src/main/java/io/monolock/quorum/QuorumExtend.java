// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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
 * <p>The metadata to write is read from a member that holds the keys. After {@link #end}, which a
 * release calls, nothing more is written, and a write that is under way then is undone by a release
 * as soon as it is answered.
 */
final class QuorumExtend {

  private static final Logger LOG = LoggerFactory.getLogger(QuorumExtend.class);

  private final List<Member> members;
  private final QuorumSettings settings;
  private final LockKeys keys;
  private final String token;
  private final Duration ttl;
  private final ContextView context;
  private final Consumer<QuorumExtend> whenOver;

  private final List<Member> without = new ArrayList<>(); // guarded by this
  private @Nullable Member holder; // guarded by this
  private int holders; // guarded by this
  private int unanswered; // guarded by this
  private boolean ended; // guarded by this

  QuorumExtend(
      List<Member> members,
      QuorumSettings settings,
      LockKeys keys,
      String token,
      Duration ttl,
      ContextView context,
      Consumer<QuorumExtend> whenOver) {
    this.members = members;
    this.settings = settings;
    this.keys = keys;
    this.token = token;
    this.ttl = ttl;
    this.context = context;
    this.whenOver = whenOver;
    this.unanswered = members.size();
  }

  Mono<Boolean> run() {
    Broadcast<Boolean> broadcast =
        new Broadcast<>(members, settings, this::extend, settings.memberTimeout());
    return broadcast.whenOver(this::answered).ask(Broadcast::yesOrNo);
  }

  private Mono<Boolean> extend(Member member) {
    return member.store.extend(keys, token, ttl);
  }

  /** Makes this extension write nothing more. */
  synchronized void end() {
    ended = true;
  }

  private synchronized boolean isEnded() {
    return ended;
  }

  private void answered(MemberCall<Boolean> call) {
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
        unanswered += toRestore.size();
      }
    }
    if (source != null) {
      for (Member member : toRestore) {
        restore(member, source);
      }
    }
    over();
  }

  private void over() {
    boolean last;
    synchronized (this) {
      last = --unanswered == 0;
    }
    if (last) {
      whenOver.accept(this);
    }
  }

  private void restore(Member member, Member source) {
    Mono<Holder> inspection = source.call(() -> source.store.inspect(keys.asList().get(0)));
    MemberCall<Holder> call = new MemberCall<>(source, inspection, settings, context, any -> {});
    call.whenOver(
        () -> {
          Holder known = call.answer();
          if (known != null) {
            known.metadata().ifPresent(metadata -> write(member, metadata));
          }
          over();
        });
    call.send(settings.memberTimeout());
  }

  private void write(Member member, String metadata) {
    synchronized (this) {
      if (ended) {
        return;
      }
      unanswered++;
    }
    Mono<Grant> writing =
        member.call(() -> member.store.acquire(keys, token, metadata, ttl, false));
    MemberCall<Grant> call = new MemberCall<>(member, writing, settings, context, any -> {});
    call.whenOver(
        () -> {
          LOG.debug("{} was asked to hold {} again: {}", member, keys, call.answer());
          if (isEnded()) {
            var unused = member.debts.add(keys, token, List.of(), ttl, context);
          }
          over();
        });
    call.send(settings.memberTimeout());
  }
}
