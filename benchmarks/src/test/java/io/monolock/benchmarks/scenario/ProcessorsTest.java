// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessorsTest {

  @Test
  void aListOfRangesIsParsed() {
    assertThat(Processors.allowed("Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t0-2,5\n"))
        .containsExactly(0, 1, 2, 5);
  }
}
