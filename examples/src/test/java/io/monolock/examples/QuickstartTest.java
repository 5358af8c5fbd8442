// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the command line prints without a Redis server. */
class QuickstartTest {

  @Test
  void helpShowsEveryOptionAndItsDefault() {
    Screen screen = Screen.of("--help");

    assertThat(screen.exitCode()).isZero();
    assertThat(screen.err()).isEmpty();
    assertThat(screen.out())
        .contains("--redis=URI", "--seats=N", "--instances=N", "--buyers=N", "--ttl=TIME")
        .contains("--hold=TIME", "default 500.", "default 4.", "default 32.", "default 2s.")
        .contains("Exit codes:")
        .doesNotContain("DEFAULT-VALUE");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--seats=0       | Wrong option: seats must be between 1 and 100000, was 0",
        "--ttl=1ms       | Wrong option: ttl must be between",
        "--ttl=soon      | Invalid value for option '--ttl': 'soon' is not a duration",
        "--buyers=many   | Invalid value for option '--buyers': 'many' is not an int",
        "--redis=http://x | Invalid value for option '--redis': 'http://x' is not like redis://",
        "--tickets=5     | Unknown option: '--tickets=5'",
        "rest            | Unmatched argument at index 0: 'rest'"
      })
  void wrongOptionsAreOneLine(String option, String message) {
    Screen screen = Screen.of(option);

    assertThat(screen.exitCode()).isEqualTo(2);
    assertThat(screen.out()).isEmpty();
    assertThat(screen.err().lines())
        .singleElement()
        .asString()
        .startsWith(message)
        .endsWith("(see --help)");
  }

  @Test
  void anUnreachableRedisIsOneLine() {
    Screen screen = Screen.of("--redis=redis://user:secret@127.0.0.1:1");

    assertThat(screen.exitCode()).isEqualTo(2);
    assertThat(screen.err().lines())
        .singleElement()
        .asString()
        .startsWith("Cannot reach Redis at redis://")
        .endsWith("@127.0.0.1:1: Connection refused");
    assertThat(screen.err() + screen.out()).doesNotContain("secret");
  }
}
