// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import java.util.Locale;

/** Writes constants as values of tags and key values: {@code timed_out}. */
final class TagValues {

  private TagValues() {}

  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
