// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import io.monolock.ReactiveLocker;

/**
 * Changes the auto-configured locker before it is built: its scheduler, for example, or anything
 * for which there is no property.
 *
 * <p>Beans of this type are called in their order, after the properties and the {@link
 * io.monolock.LockObserver} beans were applied; what they set replaces those.
 */
@FunctionalInterface
public interface LockerBuilderCustomizer {

  /**
   * Called once, when the locker is built.
   *
   * @param builder the builder, with the properties applied
   */
  void customize(ReactiveLocker.Builder builder);
}
