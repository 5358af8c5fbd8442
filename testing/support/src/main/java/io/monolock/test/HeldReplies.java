// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

/**
 * Replies that a {@link FaultProxy} holds back until they are released.
 *
 * <p>Replies behind a held one on the same connection wait, too; nothing is lost, and the order is
 * kept.
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
