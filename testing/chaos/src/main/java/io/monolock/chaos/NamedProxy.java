// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.FaultProxy;

/**
 * A way that traffic goes.
 *
 * @param proxy what can disturb it
 * @param name whose it is
 */
record NamedProxy(FaultProxy proxy, String name) {}
