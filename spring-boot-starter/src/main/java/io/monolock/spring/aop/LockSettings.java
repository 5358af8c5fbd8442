// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import io.monolock.LockOptions;
import io.monolock.spring.Locked;
import io.monolock.spring.Locked.OnBusy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.PropertyResolver;

/** What an annotation sets; all else stays as the locker has it. */
final class LockSettings {

  private final List<UnaryOperator<LockOptions>> settings;

  private LockSettings(List<UnaryOperator<LockOptions>> settings) {
    this.settings = List.copyOf(settings);
  }

  LockOptions applyTo(LockOptions defaults) {
    LockOptions options = defaults;
    for (UnaryOperator<LockOptions> setting : settings) {
      options = setting.apply(options);
    }
    return options;
  }

  /** Fails with an IllegalArgumentException that names the attribute and its value. */
  static LockSettings parse(MergedAnnotation<Locked> locked, PropertyResolver placeholders) {
    Parser parser = new Parser(locked, placeholders);
    parser.duration("ttl", LockOptions::ttl);
    if (locked.getEnum("onBusy", OnBusy.class) == OnBusy.SKIP) {
      parser.settings.add(options -> options.waitAtMost(Duration.ZERO));
    }
    parser.duration("waitAtMost", LockOptions::waitAtMost);
    parser.duration("maxHold", LockOptions::maxHold);
    parser.duration("holdAtLeast", LockOptions::holdAtLeast);
    parser.text("metadata", LockOptions::metadata);
    parser.flag("autoRefresh", LockOptions::autoRefresh);
    parser.flag("fenced", LockOptions::fenced);
    parser.flag("finishOnCancel", LockOptions::finishOnCancel);
    LockSettings parsed = new LockSettings(parser.settings);
    // an option that is out of range fails the start
    LockOptions unused = parsed.applyTo(LockOptions.of(Duration.ofSeconds(30)));
    return parsed;
  }

  private static final class Parser {

    private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

    final List<UnaryOperator<LockOptions>> settings = new ArrayList<>();
    private final MergedAnnotation<Locked> locked;
    private final PropertyResolver placeholders;

    Parser(MergedAnnotation<Locked> locked, PropertyResolver placeholders) {
      this.locked = locked;
      this.placeholders = placeholders;
    }

    void text(String attribute, BiFunction<LockOptions, String, LockOptions> option) {
      String text = placeholders.resolveRequiredPlaceholders(locked.getString(attribute));
      if (!text.isEmpty()) {
        settings.add(options -> option.apply(options, text));
      }
    }

    void duration(String attribute, BiFunction<LockOptions, Duration, LockOptions> option) {
      String text = placeholders.resolveRequiredPlaceholders(locked.getString(attribute));
      if (!text.isEmpty()) {
        Duration value = duration(attribute, text);
        settings.add(options -> option.apply(options, value));
      }
    }

    private static Duration duration(String attribute, String text) {
      try {
        Duration value = DurationStyle.detectAndParse(text);
        if (!value.isZero() && NUMBER.matcher(text).matches()) {
          throw new IllegalArgumentException("without a unit, Spring takes it for milliseconds");
        }
        return value;
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            attribute + " must be a time with a unit, like 10s, 500ms or PT10S, was " + text, e);
      }
    }

    void flag(String attribute, BiFunction<LockOptions, Boolean, LockOptions> option) {
      boolean[] values = locked.getBooleanArray(attribute);
      if (values.length > 1) {
        throw new IllegalArgumentException(
            attribute + " must be true or false, was " + values.length + " values");
      }
      if (values.length == 1) {
        boolean value = values[0];
        settings.add(options -> option.apply(options, value));
      }
    }
  }
}
