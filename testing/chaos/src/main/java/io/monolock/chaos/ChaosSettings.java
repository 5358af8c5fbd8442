// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

/**
 * What one run does.
 *
 * @param topology which kind of Redis
 * @param seconds how long the faults go on
 * @param seed what all that is random begins with
 * @param clients how many JVMs
 * @param workers how many in each JVM
 * @param breakage how the library is broken
 * @param wipedVotes whether members of a quorum that forgot their locks vote at once
 */
record ChaosSettings(
    ChaosTopology topology,
    int seconds,
    long seed,
    int clients,
    int workers,
    Breakage breakage,
    boolean wipedVotes) {}
