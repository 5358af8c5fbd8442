// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.benchmarks.report.Section;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** A short run in the process of the test. It says nothing about speed. */
class JmhRunTest {

  @Test
  void theReportShowsWhatTheServerAndTheClientUsed() throws RunnerException {
    Options options =
        new OptionsBuilder()
            .include(FreeKeyBenchmark.class.getSimpleName())
            .include(HotKeyBenchmark.class.getSimpleName())
            .param("contender", "ACQUIRE", "REDISSON")
            .param("inFlight", "64")
            .param("keys", "1")
            .param("waiters", "64")
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(100))
            .verbosity(VerboseMode.SILENT)
            .build();
    Collection<RunResult> results = JmhRun.run(options);
    assertThat(results).hasSize(4);
    List<Section> sections = JmhReport.sections(results);
    assertThat(sections)
        .extracting(Section::name)
        .containsExactly("jmh-FreeKeyBenchmark", "jmh-HotKeyBenchmark");
    assertThat(sections.get(0).medians().markdown())
        .contains("server CPU us", "bytes", "| inFlight 64, keys 1 | Redisson RLock |")
        .doesNotContain("|  |  |");
  }
}
