// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.List;

/**
 * The part of the results of one scenario.
 *
 * @param name the name of the scenario
 * @param title the heading
 * @param text what was done, in a sentence or two
 * @param medians the figures
 * @param rounds the samples of all rounds
 * @param targets the targets of the figures
 * @param charts the charts of the medians
 */
public record Section(
    String name,
    String title,
    String text,
    Table medians,
    Table rounds,
    List<Target> targets,
    List<Chart> charts) {}
