// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TargetTest {

  private static String result(Target target) {
    return target.row().get(3);
  }

  @Test
  void aFigureAtItsLimitIsMet() {
    assertThat(result(Target.atMost("figure", 0.6, 0.6))).isEqualTo("met");
    assertThat(result(Target.atLeast("figure", 5, 5))).isEqualTo("met");
  }

  @Test
  void aMissSaysByHowMuch() {
    assertThat(result(Target.atMost("figure", 0.9, 0.6))).isEqualTo("**missed** by 50 %");
    assertThat(result(Target.atLeast("figure", 4, 5))).isEqualTo("**missed** by 20 %");
    assertThat(result(Target.atMost("figure", 50, 5))).isEqualTo("**missed**, 10-fold");
    assertThat(result(Target.atMost("figure", 7, 0))).isEqualTo("**missed** by 7");
  }

  @Test
  void whatWasNotMeasuredIsNotMet() {
    Target target = Target.atMost("figure", Double.NaN, 5);
    assertThat(target.isMet()).isFalse();
    assertThat(result(target)).isEqualTo("not measured");
  }
}
