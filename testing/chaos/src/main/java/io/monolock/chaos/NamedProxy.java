// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.FaultProxy;

/**
 * A proxy between clients and a server, or between servers.
 *
 * @param proxy the proxy
 * @param name the client or server behind it in messages
 */
record NamedProxy(FaultProxy proxy, String name) {}
