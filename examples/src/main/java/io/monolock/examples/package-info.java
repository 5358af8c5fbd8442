// SPDX-License-Identifier: Apache-2.0

/**
 * Programs that show Monolock at work.
 *
 * <p>Start with {@link io.monolock.examples.Quickstart}: a ticket office that sells its seats
 * without a lock and under one. Where the lock is taken is in {@code TicketOffice}.
 */
@NullMarked
package io.monolock.examples;

import org.jspecify.annotations.NullMarked;
