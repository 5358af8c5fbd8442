// SPDX-License-Identifier: Apache-2.0

/**
 * The ways to lock that are measured. A {@link io.monolock.benchmarks.contender.Contender} has the
 * connections of one of them and creates each {@link io.monolock.benchmarks.contender.Caller} of a
 * lock; {@link io.monolock.benchmarks.contender.Contenders} lists them, with their titles and
 * colours. {@code RawContender} is the baseline.
 */
@NullMarked
package io.monolock.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
