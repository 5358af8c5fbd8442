// SPDX-License-Identifier: Apache-2.0
/**
 * The operators of the adapter under the TCK of Reactive Streams. {@link
 * io.monolock.reactor.tck.LockVerification} sets it up; each test names one Publisher to verify.
 */
package io.monolock.reactor.tck;
