// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TargetTest {

  private static String verdict(Target target) {
    return target.row().get(3);
  }

  @Test
  void aFigureAtItsLimitIsMet() {
    assertThat(verdict(Target.atMost("figure", 0.6, 0.6))).isEqualTo("met");
    assertThat(verdict(Target.atLeast("figure", 5, 5))).isEqualTo("met");
  }

  @Test
  void aMissSaysByHowMuch() {
    assertThat(verdict(Target.atMost("figure", 0.9, 0.6))).isEqualTo("**missed** by 50 %");
    assertThat(verdict(Target.atLeast("figure", 4, 5))).isEqualTo("**missed** by 20 %");
    assertThat(verdict(Target.atMost("figure", 50, 5))).isEqualTo("**missed**, 10-fold");
    assertThat(verdict(Target.atMost("figure", 7, 0))).isEqualTo("**missed** by 7");
  }

  @Test
  void whatWasNotMeasuredIsNotMet() {
    Target target = Target.atMost("figure", Double.NaN, 5);
    assertThat(target.isMet()).isFalse();
    assertThat(verdict(target)).isEqualTo("not measured");
  }
}
