// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads JSON, and fails where it is none: objects as maps, arrays as lists, the rest as text. */
final class Json {

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(?:([{}\\[\\]:,])|(\"(?:[^\"\\\\\\x00-\\x1f]|\\\\.)*\")|(-?\\d[\\d.eE+-]*|true|false|null))\\s*");

  private final Matcher tokens;
  private final int length;

  private Json(String text) {
    this.tokens = TOKEN.matcher(text);
    this.length = text.length();
    next();
  }

  static Object read(String text) {
    Json json = new Json(text);
    Object value = json.value();
    if (json.tokens.end() != json.length) {
      throw json.wrong();
    }
    return value;
  }

  /** All values that objects have under this name, however deep. */
  static Stream<Object> all(String name, Object json) {
    if (json instanceof Map<?, ?> object) {
      return object.entrySet().stream()
          .flatMap(
              entry ->
                  Stream.concat(
                      entry.getKey().equals(name) ? Stream.of(entry.getValue()) : Stream.of(),
                      all(name, entry.getValue())));
    }
    return json instanceof List<?> list
        ? list.stream().flatMap(each -> all(name, each))
        : Stream.of();
  }

  private void next() {
    if (!tokens.find() || tokens.start() != (before < 0 ? 0 : before)) {
      throw wrong();
    }
    before = tokens.end();
  }

  private int before = -1;

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("no JSON after character " + before);
  }

  private boolean is(String sign) {
    return sign.equals(tokens.group(1));
  }

  private void skip(String sign) {
    if (!is(sign)) {
      throw wrong();
    }
    next();
  }

  /** Leaves the last token of the value as the present one. */
  private Object value() {
    if (is("{")) {
      return object();
    } else if (is("[")) {
      return list();
    } else if (tokens.group(1) != null) {
      throw wrong();
    }
    return tokens.group(2) != null ? text() : tokens.group(3);
  }

  private String text() {
    if (tokens.group(2) == null) {
      throw wrong();
    }
    String quoted = tokens.group(2);
    return quoted.substring(1, quoted.length() - 1).replaceAll("\\\\(.)", "$1");
  }

  private Map<String, Object> object() {
    Map<String, Object> object = new LinkedHashMap<>();
    next();
    while (!is("}")) {
      String name = text();
      next();
      skip(":");
      if (object.put(name, value()) != null) {
        throw new IllegalArgumentException("twice: " + name);
      }
      next();
      if (!is("}")) {
        skip(",");
      }
    }
    return object;
  }

  private List<Object> list() {
    List<Object> list = new ArrayList<>();
    next();
    while (!is("]")) {
      list.add(value());
      next();
      if (!is("]")) {
        skip(",");
      }
    }
    return list;
  }
}
