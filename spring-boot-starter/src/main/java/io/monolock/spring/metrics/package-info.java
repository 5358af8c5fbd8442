// SPDX-License-Identifier: Apache-2.0
/**
 * Locks in Micrometer: {@link io.monolock.spring.metrics.MetricsAutoConfiguration} connects them
 * with the meters and observations of the application.
 */
@NullMarked
package io.monolock.spring.metrics;

import org.jspecify.annotations.NullMarked;
