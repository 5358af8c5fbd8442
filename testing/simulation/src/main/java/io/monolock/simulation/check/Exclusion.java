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
          if (second.keys.asSet().contains(key) && !isExcused(first, key)) {
            broken(
                checker.losses.majority() > 1 ? "two valid handles in a quorum" : "two valid handles",
                key,
                "of " + key + ": " + first + " and " + second);
          }
        }
      }
    }
  }

  private static boolean isAllowed(Handle first, Handle second) {
    return first.token.equals(second.token) && (first.isShared || second.isShared);
  }

  private boolean isExcused(Handle first, String key) {
    return checker.losses.excuse(
        key, first.call.askedAt, checker.world.now(), checker.largestTtl);
  }
}
