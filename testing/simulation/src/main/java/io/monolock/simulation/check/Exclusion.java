// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

/**
 * Two valid handles never have a key in common; but with one token that its user gave or attached,
 * or when servers have forgotten the first one.
 */
final class Exclusion extends Rule {

  Exclusion(Checker checker) {
    super(checker);
  }

  @Override
  void delivered(Handle second) {
    for (Handle first : checker.open) {
      if (first.isValid() && second.isValid() && !isAllowed(first, second)) {
        for (String key : first.keys.asList()) {
          if (second.keys.asSet().contains(key) && !isExcused(first, second, key)) {
            broken(how(first, second), key, "of " + key + ": " + first + " and " + second);
          }
        }
      }
    }
  }

  private static boolean isAllowed(Handle first, Handle second) {
    return first.token.equals(second.token) && (first.isShared || second.isShared);
  }

  private String how(Handle first, Handle second) {
    if (first.facts.releaseAsked || second.facts.releaseAsked) {
      return "another call of its locker gave the user's token back";
    }
    if (wasCleanedUp(first) || wasCleanedUp(second)) {
      return "its locker cleaned up a lock of the user's token";
    }
    return "two valid handles" + checker.settings.kind();
  }

  private static boolean wasCleanedUp(Handle handle) {
    return handle.facts.isShared && !handle.facts.freedAt.isEmpty();
  }

  /** No process can know that its host was suspended, or that another gave the token back. */
  private boolean isExcused(Handle first, Handle second, String key) {
    long since = Math.min(first.since(), second.since());
    return first.instance().process().wasSuspended()
        || second.instance().process().wasSuspended()
        || first.wasReleasedElsewhere()
        || second.wasReleasedElsewhere()
        || checker.losses.excuse(key, since, checker.world.now());
  }
}
