// SPDX-License-Identifier: Apache-2.0
/**
 * Locks in Micrometer: {@link io.monolock.spring.metrics.MetricsAutoConfiguration} lets the meters
 * and observations of the application hear of them.
 */
@NullMarked
package io.monolock.spring.metrics;

import org.jspecify.annotations.NullMarked;
