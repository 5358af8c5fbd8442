// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import java.util.ArrayList;
import java.util.List;

/** In one locker, waiters for the same keys get them in the order in which they came. */
final class OrderInLine extends Rule {

  private final List<Call> waiting = new ArrayList<>();

  OrderInLine(Checker checker) {
    super(checker);
  }

  @Override
  void asked(Call call) {
    waiting.removeIf(one -> !one.isInLine());
    boolean isSingleAttempt =
        call.kind == Call.Kind.TRY_ACQUIRE
            || (call.wantsLock() && call.options.waitAtMost().isZero());
    if (isSingleAttempt && call.options.token().isEmpty()) {
      call.overtaken = waiting.stream().filter(one -> one.isInLineOf(call) && one.waits).toList();
    } else if (call.isInLine()) {
      waiting.add(call);
    }
  }

  @Override
  void delivered(Handle handle) {
    Call call = handle.call;
    for (Call other : waiting) {
      if (other.isInLineOf(call) && other != call && other.askedOrder < call.askedOrder) {
        if (call.overtaken.contains(other)) {
          suspect("a single attempt overtakes", call, other);
        } else if (call.kind != Call.Kind.TRY_ACQUIRE
            && !call.options.waitAtMost().isZero()
            && call.options.token().isEmpty()
            && call.kind != Call.Kind.ATTACH) {
          suspect("a waiter overtakes", call, other);
        }
      }
    }
  }

  /**
   * The other one may have ended already, and just not been told; or it loses its turn, as its ttl
   * is over before it hears of a grant.
   */
  private void suspect(String how, Call call, Call other) {
    if (other.options.ttl().toNanos() < 10 * other.instance.usualDelay()) {
      return;
    }
    String detail = call + " before " + other;
    var unused =
        checker.world.after(
            4 * checker.settings.longestHop(),
            () -> {
              if (other.isInLine() && checker.isAwakeSince(other.instance, other.askedAt)) {
                broken(how, subject(call), detail);
              }
            });
  }

  private static String subject(Call call) {
    return call.keys.asList().get(0);
  }
}
