// SPDX-License-Identifier: Apache-2.0
/**
 * What happens to locks, as Micrometer's meters and observations.
 *
 * <p>{@link io.monolock.micrometer.MicrometerLockObserver} is what a locker is given as its
 * observer. {@link io.monolock.micrometer.LockMeterDocumentation} and {@link
 * io.monolock.micrometer.LockObservationDocumentation} say what it records; names and key values of
 * observations are those of a {@link io.monolock.micrometer.LockObservationConvention}, which is
 * asked about a {@link io.monolock.micrometer.LockObservationContext}.
 *
 * <p>Only this package needs Micrometer, which is an optional dependency: whoever uses it has
 * {@code micrometer-core} on the class path.
 */
@NullMarked
package io.monolock.micrometer;

import org.jspecify.annotations.NullMarked;
