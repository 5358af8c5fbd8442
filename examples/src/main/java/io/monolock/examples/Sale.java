// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import java.time.Duration;

/**
 * A sale that is over.
 *
 * @param ledger what was sold
 * @param time how long it took
 */
record Sale(Ledger ledger, Duration time) {}
