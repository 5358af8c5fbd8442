// SPDX-License-Identifier: Apache-2.0
/**
 * Who uses the lockers. A {@link io.monolock.simulation.caller.Caller} does one {@link
 * io.monolock.simulation.caller.Operation} after the other; what it asks for is a {@link
 * io.monolock.simulation.caller.Wish}, what it does with a lock a {@link
 * io.monolock.simulation.caller.Use}, what runs under one a {@link
 * io.monolock.simulation.caller.Body}, and how it treats a subscription an {@link
 * io.monolock.simulation.caller.Ending}.
 */
@NullMarked
package io.monolock.simulation.caller;

import org.jspecify.annotations.NullMarked;
