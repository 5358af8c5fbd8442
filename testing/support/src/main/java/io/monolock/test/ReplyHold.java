// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.function.Consumer;

/**
 * Holds each reply from a certain one on, until it is released; used by the event loop of its
 * proxy.
 */
final class ReplyHold implements HeldReplies {

  private final boolean onlyOne;
  private final Consumer<ReplyHold> onRelease;
  private int lacking;
  private volatile boolean holding;

  private ReplyHold(int lacking, boolean onlyOne, Consumer<ReplyHold> onRelease) {
    this.lacking = lacking;
    this.onlyOne = onlyOne;
    this.onRelease = onRelease;
  }

  static ReplyHold ofAll(Consumer<ReplyHold> onRelease) {
    return new ReplyHold(1, false, onRelease);
  }

  static ReplyHold ofOne(int number, Consumer<ReplyHold> onRelease) {
    return new ReplyHold(number, true, onRelease);
  }

  /** Whether the reply that has just arrived is one to hold. */
  boolean catches() {
    if (lacking > 0) {
      lacking--;
    } else if (onlyOne) {
      return false;
    }
    holding |= lacking == 0;
    return lacking == 0;
  }

  void released() {
    holding = false;
  }

  @Override
  public boolean isHolding() {
    return holding;
  }

  @Override
  public void release() {
    onRelease.accept(this);
  }
}
