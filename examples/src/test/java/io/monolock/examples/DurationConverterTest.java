// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {

  private final DurationConverter converter = new DurationConverter();

  @ParameterizedTest
  @CsvSource({
    "0ms, 0",
    "500ms, 500",
    "2s, 2000",
    "2S, 2000",
    "1m, 60000",
    "PT1.5S, 1500",
    "pt1m, 60000"
  })
  void readsShortAndIsoForms(String text, long millis) {
    assertThat(converter.convert(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "ms", "-5ms", "5 ms", "1.5s", "9999999999s", "two seconds"})
  void refusesWhatIsNoDuration(String text) {
    assertThatExceptionOfType(TypeConversionException.class)
        .isThrownBy(() -> converter.convert(text))
        .withMessage("'%s' is not a duration such as 500ms, 2s or PT0.5S", text);
  }

  @Test
  void keepsTheLargestNumberThatItReads() {
    assertThat(converter.convert("999999999m")).isEqualTo(Duration.ofMinutes(999_999_999));
  }
}
