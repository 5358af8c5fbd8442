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
 * Prolongs a lock at all members, and writes it anew at those that have lost it, or never had it,
 * if a majority holds it. Otherwise each member that restarts empty would bring the lock nearer to
 * its end.
 *
 * <p>The metadata, which has to be written again, is asked of a member that holds the keys. A
 * release ends it all: nothing is written any more, and what is just being written is released as
 * soon as that is done.
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
    Broadcast<Boolean> round =
        new Broadcast<>(members, settings, this::extend, settings.memberTimeout());
    return round.whenOver(this::answered).ask(Broadcast::yesOrNo);
  }

  private Mono<Boolean> extend(Member member) {
    return member.store.extend(keys, token, ttl);
  }

  /** Writes nothing any more. */
  synchronized void end() {
    ended = true;
  }

  private synchronized boolean isEnded() {
    return ended;
  }

  private void answered(MemberCall<Boolean> question) {
    Boolean held = question.answer();
    List<Member> toRestore = List.of();
    Member source;
    synchronized (this) {
      if (held != null && held) {
        holders++;
        holder = question.member;
      } else if (held != null) {
        without.add(question.member);
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
    MemberCall<Holder> question =
        new MemberCall<>(source, inspection, settings, context, any -> {});
    question.whenOver(
        () -> {
          Holder known = question.answer();
          if (known != null) {
            known.metadata().ifPresent(metadata -> write(member, metadata));
          }
          over();
        });
    question.ask(settings.memberTimeout());
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
    MemberCall<Grant> question = new MemberCall<>(member, writing, settings, context, any -> {});
    question.whenOver(
        () -> {
          LOG.debug("{} was asked to hold {} again: {}", member, keys, question.answer());
          if (isEnded()) {
            var unused = member.debts.add(keys, token, List.of(), ttl, context);
          }
          over();
        });
    question.ask(settings.memberTimeout());
  }
}
