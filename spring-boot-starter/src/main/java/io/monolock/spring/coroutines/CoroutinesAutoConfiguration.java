// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.coroutines;

import io.monolock.ReactiveLocker;
import io.monolock.coroutines.SuspendingLocker;
import io.monolock.coroutines.SuspendingLockerKt;
import io.monolock.spring.MonolockAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Gives coroutines the locker of the application as a {@link SuspendingLocker}, if {@code
 * monolock-kotlin-coroutines-adapter} and Kotlin are there, and it is clear which locker is meant:
 * there is one, or one is primary.
 */
@AutoConfiguration(after = MonolockAutoConfiguration.class)
@ConditionalOnClass(
    name = {"io.monolock.coroutines.SuspendingLocker", "kotlin.coroutines.Continuation"})
@ConditionalOnSingleCandidate(ReactiveLocker.class)
public final class CoroutinesAutoConfiguration {

  /** Created by Spring. */
  CoroutinesAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  SuspendingLocker monolockSuspendingLocker(ReactiveLocker locker) {
    return SuspendingLockerKt.suspending(locker);
  }
}
