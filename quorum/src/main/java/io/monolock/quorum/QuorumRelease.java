// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Releases a lock at all members, and leaves to the {@link Debts} those that fail, however late.
 * Keys that are to be kept for a while end by themselves there.
 */
final class QuorumRelease {

  private final List<Member> members;
  private final QuorumSettings settings;
  private final LockKeys keys;
  private final String token;
  private final Duration keepFor;
  private final Duration longest;

  /**
   * @param longest how long the keys live at most
   */
  QuorumRelease(
      List<Member> members,
      QuorumSettings settings,
      LockKeys keys,
      String token,
      Duration keepFor,
      Duration longest) {
    this.members = members;
    this.settings = settings;
    this.keys = keys;
    this.token = token;
    this.keepFor = keepFor;
    this.longest = longest;
  }

  Mono<Boolean> run() {
    return Mono.deferContextual(
        context ->
            new Broadcast<>(members, settings, this::release, settings.memberTimeout())
                .whenOver(question -> over(question, context))
                .ask(Broadcast::yesOrNo));
  }

  private Mono<Boolean> release(Member member) {
    return member.store.release(keys, token, keepFor);
  }

  private void over(MemberCall<Boolean> question, ContextView context) {
    StoreFailure failure = question.answer() == null ? question.failure() : null;
    if (failure != null && failure.isTransient() && keepFor.isZero()) {
      var unused = question.member.debts.add(keys, token, List.of(), longest, context);
    }
  }
}
