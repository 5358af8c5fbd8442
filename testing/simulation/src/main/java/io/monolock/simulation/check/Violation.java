// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

/**
 * A promise that was not kept.
 *
 * @param signature the rule and, in few words, how it was broken: the same for the same defect
 * @param subject a key or token, by which the story is found
 * @param detail what exactly happened, with its numbers
 * @param time when, in nanoseconds
 */
public record Violation(String signature, String subject, String detail, long time) {

  @Override
  public String toString() {
    return "%s%n  at %.3f ms, %s".formatted(signature, time / 1e6, detail);
  }
}
