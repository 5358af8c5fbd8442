// SPDX-License-Identifier: Apache-2.0

/**
 * What is written down. A {@link io.monolock.benchmarks.report.Sample} is one window, {@link
 * io.monolock.benchmarks.report.Results} are the samples of all rounds, a {@link
 * io.monolock.benchmarks.report.Section} is what a scenario makes of them, and {@link
 * io.monolock.benchmarks.report.Document} the file of all. A {@link
 * io.monolock.benchmarks.report.Chart} is a picture of one column, drawn from that file.
 */
@NullMarked
package io.monolock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
