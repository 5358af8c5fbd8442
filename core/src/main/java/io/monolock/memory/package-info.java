// SPDX-License-Identifier: Apache-2.0
/** Placeholder. */
@NullMarked
package io.monolock.memory;

import org.jspecify.annotations.NullMarked;
