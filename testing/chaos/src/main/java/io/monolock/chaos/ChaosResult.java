// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.util.List;
import java.util.Map;

/**
 * The result of a run.
 *
 * @param start when it began
 * @param history the events of all workers
 * @param findings the broken guarantees
 * @param lossyFailOvers the fail-overs that may have lost writes
 * @param faults how often each kind of fault was injected
 * @param seconds how long it lasted
 */
record ChaosResult(
    long start,
    History history,
    Findings findings,
    List<LossyFailOver> lossyFailOvers,
    Map<String, Integer> faults,
    double seconds) {}
