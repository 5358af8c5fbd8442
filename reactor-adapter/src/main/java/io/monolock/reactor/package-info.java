// SPDX-License-Identifier: Apache-2.0
/** Locks where Reactor's operators are. */
@NullMarked
package io.monolock.reactor;

import org.jspecify.annotations.NullMarked;
