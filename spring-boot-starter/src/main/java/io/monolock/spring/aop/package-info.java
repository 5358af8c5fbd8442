// SPDX-License-Identifier: Apache-2.0
/**
 * What makes {@link io.monolock.spring.Locked} work: {@link
 * io.monolock.spring.aop.LockedAutoConfiguration} lets Spring put an interceptor before the methods
 * that have it.
 */
@NullMarked
package io.monolock.spring.aop;

import org.jspecify.annotations.NullMarked;
