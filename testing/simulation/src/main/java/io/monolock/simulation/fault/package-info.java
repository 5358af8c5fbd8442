// SPDX-License-Identifier: Apache-2.0
/** What may go wrong: {@link io.monolock.simulation.fault.Fault} lists it. */
@NullMarked
package io.monolock.simulation.fault;

import org.jspecify.annotations.NullMarked;
