// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command that has reached Redis.
 *
 * @param time when, by the clock of the server
 * @param connection the address of the client, such as {@code 127.0.0.1:12345}, or {@code lua} if a
 *     script sent it
 * @param words the command and its arguments; Valkey 8.1 shows quotes and backslashes ambiguously,
 *     so that they may be wrong there
 */
public record RecordedCommand(Instant time, String connection, List<String> words) {

  private static final String OF_SCRIPT = "lua";
  private static final String ESCAPES = "\"\\nrtab";
  private static final String ESCAPED = "\"\\\n\r\t\u0007\b";
  private static final Pattern LINE =
      Pattern.compile("\\+(\\d+)\\.(\\d+) \\[\\d+ ([^\\]]+)\\](.*)", Pattern.DOTALL);

  /**
   * The name of the command.
   *
   * @return the first word in lower case, such as {@code evalsha}
   */
  public String name() {
    return words.get(0).toLowerCase(Locale.ROOT);
  }

  /**
   * Whether a script sent it and not a client.
   *
   * @return true for the inner commands of a script
   */
  public boolean isOfScript() {
    return connection.equals(OF_SCRIPT);
  }

  /** Reads a line of {@code MONITOR}, whose characters are bytes. */
  static RecordedCommand parse(String line) {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new IllegalArgumentException("line must be one of MONITOR, was " + line);
    }
    Instant time =
        Instant.ofEpochSecond(
            Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)) * 1_000);
    return new RecordedCommand(time, parts.group(3), words(parts.group(4)));
  }

  // Valkey 8.1 escapes neither quotes nor backslashes: one that cannot be an end or an escape is
  // text
  private static List<String> words(String quoted) {
    List<String> words = new ArrayList<>();
    int i = quoted.indexOf('"') + 1;
    while (i > 0) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      while (!endsWord(quoted, i)) {
        i = quoted.charAt(i) == '\\' ? unescape(quoted, i + 1, bytes) : copy(quoted, i, bytes);
      }
      words.add(bytes.toString(StandardCharsets.UTF_8));
      i = quoted.indexOf('"', i + 1) + 1;
    }
    return List.copyOf(words);
  }

  private static boolean endsWord(String text, int at) {
    return text.charAt(at) == '"' && (at + 1 == text.length() || text.startsWith(" \"", at + 1));
  }

  private static int copy(String text, int at, ByteArrayOutputStream bytes) {
    bytes.write(text.charAt(at));
    return at + 1;
  }

  private static int unescape(String text, int at, ByteArrayOutputStream bytes) {
    if (text.charAt(at) == 'x') {
      bytes.write(Integer.parseInt(text.substring(at + 1, at + 3), 16));
      return at + 3;
    }
    int escape = ESCAPES.indexOf(text.charAt(at));
    bytes.write(escape < 0 ? '\\' : ESCAPED.charAt(escape));
    return escape < 0 ? at : at + 1;
  }
}
