// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Refuses times without a unit among the properties {@code monolock.*}, which Spring Boot would
 * take for milliseconds: {@code monolock.ttl=30} means 30 seconds to its reader.
 */
final class TimesHaveUnits implements ConfigurationPropertiesBindHandlerAdvisor {

  private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("monolock");
  private static final Pattern NUMBER = Pattern.compile("\\s*[+-]?\\d+\\s*");
  private static final Pattern ZERO = Pattern.compile("\\s*[+-]?0+\\s*");

  @Override
  public BindHandler apply(BindHandler handler) {
    return new AbstractBindHandler(handler) {
      @Override
      public @Nullable Object onSuccess(
          ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        if (result instanceof Duration && OURS.isAncestorOf(name)) {
          context
              .getBinder()
              .bind(name, Bindable.of(String.class))
              .ifBound(text -> check(name, text));
        }
        return super.onSuccess(name, target, context, result);
      }
    };
  }

  private static void check(ConfigurationPropertyName name, String text) {
    if (NUMBER.matcher(text).matches() && !ZERO.matcher(text).matches()) {
      throw new IllegalArgumentException(
          name + " must be a time with a unit, like 30s, 500ms or PT30S, was " + text);
    }
  }
}
