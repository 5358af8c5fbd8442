// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.util.List;
import java.util.Map;

/**
 * What has become of a run.
 *
 * @param start when it began
 * @param history what the workers wrote down
 * @param findings which guarantees were broken
 * @param losses which fail-overs may have lost writes
 * @param faults how often the nemesis did what
 * @param seconds how long it took
 */
record ChaosResult(
    long start,
    History history,
    Findings findings,
    List<LossyFailOver> losses,
    Map<String, Integer> faults,
    double seconds) {}
