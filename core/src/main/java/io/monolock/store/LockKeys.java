// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one lock: distinct, sorted and checked. They are taken together or not at all.
 *
 * <p>Two instances are equal when they have the same keys, in whatever order and however often
 * these were given.
 */
public final class LockKeys {

  /** How many keys one lock may have: {@value}. */
  public static final int MAX_KEYS = 1_024;

  /** How many bytes of UTF-8 one key may have: {@value}. */
  public static final int MAX_KEY_BYTES = 64 * 1_024;

  private final List<String> sorted;
  private final Set<String> distinct;
  private final int hash;

  private LockKeys(List<String> sorted, Set<String> distinct) {
    this.sorted = sorted;
    this.distinct = distinct;
    this.hash = sorted.hashCode();
  }

  /**
   * The keys of a lock.
   *
   * @param keys at least one and at most {@value #MAX_KEYS} keys; duplicates count once
   * @return the distinct keys, sorted
   * @throws IllegalArgumentException when there are no keys or too many, or one of them is null,
   *     empty, longer than {@value #MAX_KEY_BYTES} bytes of UTF-8 or not valid Unicode
   */
  public static LockKeys of(Collection<? extends @Nullable String> keys) {
    if (keys == null || keys.isEmpty()) {
      throw new IllegalArgumentException("a lock needs at least one key, was given " + keys);
    }
    if (keys.size() == 1) {
      return of(keys.iterator().next());
    }
    SortedSet<String> distinct = new TreeSet<>();
    for (String key : keys) {
      distinct.add(checked(key));
    }
    if (distinct.size() > MAX_KEYS) {
      throw new IllegalArgumentException(
          "a lock takes at most " + MAX_KEYS + " keys, was given " + distinct.size());
    }
    return new LockKeys(List.copyOf(distinct), Collections.unmodifiableSet(distinct));
  }

  /**
   * The key of a lock that has only one.
   *
   * @param key the key, not empty
   * @return a set of this one key
   * @throws IllegalArgumentException as {@link #of(Collection)} does
   */
  public static LockKeys of(@Nullable String key) {
    String only = checked(key);
    return new LockKeys(List.of(only), Set.of(only));
  }

  private static String checked(@Nullable String key) {
    if (key == null) {
      throw new IllegalArgumentException("a key must not be null");
    }
    if (key.isEmpty()) {
      throw new IllegalArgumentException("a key must not be empty, was \"\"");
    }
    int bytes = utf8Length(key);
    if (bytes > MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "a key must have at most %,d bytes of UTF-8, was %,d: \"%s\""
              .formatted(MAX_KEY_BYTES, bytes, shown(key)));
    }
    return key;
  }

  private static int utf8Length(String key) {
    int bytes = 0;
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c < 0x80) {
        bytes += 1;
      } else if (c < 0x800) {
        bytes += 2;
      } else if (!Character.isSurrogate(c)) {
        bytes += 3;
      } else if (Character.isSurrogatePair(c, i + 1 < key.length() ? key.charAt(i + 1) : ' ')) {
        bytes += 4;
        i++;
      } else {
        throw new IllegalArgumentException(
            "a key must be valid Unicode, but has an unpaired surrogate at index %d: \"%s\""
                .formatted(i, shown(key)));
      }
    }
    return bytes;
  }

  private static String shown(String key) {
    return escaped(key.length() <= 64 ? key : key.substring(0, 64) + "...");
  }

  /**
   * Keys as a message or a log shows them.
   *
   * @param keys any keys
   * @return the keys, with what would break the line escaped
   */
  public static String shown(Collection<String> keys) {
    return escaped(keys.toString());
  }

  /**
   * A text as a message or a log shows it: characters that control how a line is shown, line breaks
   * among them, are escaped as in Java.
   *
   * @param text any text
   * @return the text in one line
   */
  public static String escaped(String text) {
    if (text.chars().noneMatch(LockKeys::isControl)) {
      return text;
    }
    StringBuilder escaped = new StringBuilder();
    text.chars()
        .forEach(
            c -> {
              if (c == '\n') {
                escaped.append("\\n");
              } else if (isControl(c)) {
                escaped.append("\\u%04x".formatted(c));
              } else {
                escaped.append((char) c);
              }
            });
    return escaped.toString();
  }

  private static boolean isControl(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  /**
   * The keys in a fixed order, for a store.
   *
   * @return the distinct keys, sorted; immutable
   */
  public List<String> asList() {
    return sorted;
  }

  /**
   * The keys as users see them.
   *
   * @return the distinct keys, iterated in their sorted order; immutable
   */
  public Set<String> asSet() {
    return distinct;
  }

  /**
   * How many keys there are.
   *
   * @return 1 to {@value #MAX_KEYS}
   */
  public int size() {
    return sorted.size();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LockKeys keys && sorted.equals(keys.sorted);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return shown(sorted);
  }
}
