// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

/**
 * Replies that a {@link FaultProxy} keeps back until it is told to let them go.
 *
 * <p>Whatever a connection receives after a held reply waits behind it; nothing gets lost and
 * nothing overtakes.
 */
public interface HeldReplies extends AutoCloseable {

  /**
   * Whether a reply has arrived that is held now.
   *
   * @return true from the arrival of the first held reply until {@link #release()}
   */
  boolean isHolding();

  /** Lets all held replies go and holds no more. Releasing again does nothing. */
  void release();

  /** Releases. */
  @Override
  default void close() {
    release();
  }
}
