// SPDX-License-Identifier: Apache-2.0
/** Locks for Spring WebFlux. */
@NullMarked
package io.monolock.spring;

import org.jspecify.annotations.NullMarked;
