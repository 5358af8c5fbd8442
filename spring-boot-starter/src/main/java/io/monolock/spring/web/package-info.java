// SPDX-License-Identifier: Apache-2.0
/**
 * What WebFlux answers to HTTP clients when a lock cannot be had: {@link
 * io.monolock.spring.web.WebAutoConfiguration} makes problem details of the errors of locks.
 */
@NullMarked
package io.monolock.spring.web;

import org.jspecify.annotations.NullMarked;
