// SPDX-License-Identifier: Apache-2.0
/**
 * What clients of WebFlux are told when a lock cannot be had: {@link
 * io.monolock.spring.web.WebAutoConfiguration} makes problem details of the errors of locks.
 */
@NullMarked
package io.monolock.spring.web;

import org.jspecify.annotations.NullMarked;
