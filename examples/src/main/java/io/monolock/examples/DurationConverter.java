// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations such as {@code 500ms}, {@code 2s}, {@code 1m} and {@code PT1.5S}. */
final class DurationConverter implements ITypeConverter<Duration> {

  private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,9})(ms|s|m)");

  @Override
  public Duration convert(String value) {
    Matcher matcher = NUMBER_AND_UNIT.matcher(value.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return parseIso(value);
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      default -> Duration.ofMinutes(number);
    };
  }

  private static Duration parseIso(String value) {
    try {
      return Duration.parse(value);
    } catch (DateTimeParseException e) {
      throw new TypeConversionException(
          "'" + value + "' is not a duration such as 500ms, 2s or PT0.5S");
    }
  }
}
