// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

/**
 * The settings of a run.
 *
 * @param topology the servers
 * @param seconds how long the faults go on
 * @param seed the seed of all random choices
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
