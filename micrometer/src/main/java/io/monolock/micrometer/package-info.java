// SPDX-License-Identifier: Apache-2.0
/**
 * Locks as meters and observations of Micrometer.
 *
 * <p>{@link io.monolock.micrometer.MicrometerLockObserver} is passed to a locker as its observer.
 * {@link io.monolock.micrometer.LockMeterDocumentation} and {@link
 * io.monolock.micrometer.LockObservationDocumentation} list what it records; a {@link
 * io.monolock.micrometer.LockObservationConvention}, given a {@link
 * io.monolock.micrometer.LockObservationContext}, names the observations and their key values.
 *
 * <p>The idea: <em>a small state for each lock</em>. {@code TrackedLock} turns the events of one
 * acquisition, in whatever order they come, into levels that go up once and down once; read it
 * after the observer. It writes to {@code GroupMeters}, which {@code KeyGroups} chooses by the
 * keys, and to a {@code RunningObservation} from {@code LockObservations}.
 */
@NullMarked
package io.monolock.micrometer;

import org.jspecify.annotations.NullMarked;
