// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import io.monolock.ReactiveLocker;

/**
 * Changes the auto-configured builder, which makes the auto-configured locker and others if the
 * application asks for it: its scheduler, for example, or anything for which there is no property.
 *
 * <p>Beans of this type are called in their order, after the properties and the {@link
 * io.monolock.LockObserver} beans were applied; what they set replaces those.
 */
@FunctionalInterface
public interface LockerBuilderCustomizer {

  /**
   * Called once for each builder.
   *
   * @param builder the builder, with the properties applied
   */
  void customize(ReactiveLocker.Builder builder);
}
