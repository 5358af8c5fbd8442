// SPDX-License-Identifier: Apache-2.0

/**
 * The results. A {@link io.monolock.benchmarks.report.Sample} holds the {@link
 * io.monolock.benchmarks.report.Metric}s of one window, {@link
 * io.monolock.benchmarks.report.Results} hold the samples of all rounds, a {@link
 * io.monolock.benchmarks.report.Section} is the part of one scenario with its tables, {@link
 * io.monolock.benchmarks.report.Target}s and charts, and the {@link
 * io.monolock.benchmarks.report.Document} is the file of all parts. A {@link
 * io.monolock.benchmarks.report.Chart} is a picture of one column, drawn from that file.
 */
@NullMarked
package io.monolock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
