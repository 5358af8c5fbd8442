// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExclusionCheckTest {

  @TempDir Path folder;

  // as two processes map it
  private ExclusionCheck here;
  private ExclusionCheck there;

  @BeforeEach
  void map() {
    here = new ExclusionCheck(folder.resolve("shared"));
    there = new ExclusionCheck(folder.resolve("shared"));
  }

  @Test
  void oneAfterTheOtherIsFine() {
    here.enter(1);
    here.leave(1);
    there.enter(2);
    there.leave(2);
    assertThat(here.violations()).isZero();
  }

  @Test
  void twoAtATimeAreSeenByBoth() {
    here.enter(1);
    there.enter(2);
    assertThat(here.violations()).isEqualTo(1);
    assertThat(there.violations()).isEqualTo(1);
  }
}
