// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import java.util.LinkedHashMap;
import java.util.Map;

/** Fencing numbers of a key increase from token to token, unless a clock has jumped back. */
final class Fencing extends Rule {

  private record Given(long number, String token, long time) {}

  private final Map<String, Given> last = new LinkedHashMap<>();

  Fencing(Checker checker) {
    super(checker);
  }

  @Override
  void delivered(Handle handle) {
    if (handle.instance().process().wasSuspended()) {
      return; // it may have ended without its notice
    }
    if (handle.lock.fencingToken().isEmpty()) {
      if (handle.call.options.fenced()) {
        broken("no number", handle.keys.asList().get(0), handle.toString());
      }
      return;
    }
    long number = handle.lock.fencingToken().getAsLong();
    for (String key : handle.keys.asList()) {
      Given before = last.get(key);
      if (before != null
          && before.number >= number
          && !before.token.equals(handle.token)
          && !wasGivenBack(before.token)
          && !wasGivenBack(handle.token)
          && !isExcused(key, before.time)) {
        broken("a number that is not above the last", key, before + " before " + number);
      }
      if (before == null || before.number < number) {
        last.put(key, new Given(number, handle.token, handle.call.askedAt));
      }
    }
  }

  /** Who gives a token back that others use, too, lets a later number overtake theirs. */
  private boolean wasGivenBack(String token) {
    return checker.facts(token).isShared && checker.facts(token).releaseAsked;
  }

  private boolean isExcused(String key, long since) {
    return checker.losses.excuse(key, since, checker.world.now())
        || checker.losses.byMajority(since);
  }
}
