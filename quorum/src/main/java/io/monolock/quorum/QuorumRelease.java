// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Releases a lock at all members. A release that fails at a member, however late, is repeated by
 * {@link Debts}, unless the keys were to be kept for a while: then they expire by themselves.
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
                .whenOver(call -> over(call, context))
                .ask(Broadcast::yesOrNo));
  }

  private Mono<Boolean> release(Member member) {
    return member.store.release(keys, token, keepFor);
  }

  private void over(MemberCall<Boolean> call, ContextView context) {
    StoreFailure failure = call.answer() == null ? call.failure() : null;
    if (failure != null && failure.isTransient() && keepFor.isZero()) {
      var unused = call.member.debts.add(keys, token, List.of(), longest, context);
    }
  }
}
