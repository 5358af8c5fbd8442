// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * Groups of bars, to be drawn.
 *
 * @param file the name of its file, without the ending
 * @param title what it shows
 * @param unit of the heights
 * @param groups what the groups are called
 * @param bars the heights of each contender, one for each group, NaN for none
 */
public record BarChart(
    String file, String title, String unit, List<String> groups, Map<String, List<Double>> bars) {}
