// SPDX-License-Identifier: Apache-2.0
/** What the TCK of reactive streams says of the operators. */
package io.monolock.reactor.tck;
