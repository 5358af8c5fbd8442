// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.List;

/**
 * What one scenario has to say.
 *
 * @param name of the scenario
 * @param title the heading
 * @param text what was done, in a sentence or two
 * @param medians the figures
 * @param rounds all that they come from
 * @param targets what they have to be
 * @param charts pictures of them
 */
public record Section(
    String name,
    String title,
    String text,
    Table medians,
    Table rounds,
    List<Target> targets,
    List<Chart> charts) {}
