// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.api.reactive.RedisScriptingReactiveCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.CompletionStage;
import org.reactivestreams.Publisher;

/**
 * A script that runs on the server, in one step.
 *
 * <p>It is called by its hash. To a server that does not know it, because it is new or was
 * restarted or its scripts were flushed, the whole text is sent over the same connection; from then
 * on it knows the hash.
 */
final class LuaScript {

  private final byte[] text;
  private final String hash;

  private LuaScript(byte[] text) {
    this.text = text;
    this.hash = sha1(text);
  }

  /** Reads the script from the resource of that name in this package. */
  static LuaScript load(String name) {
    return new LuaScript(text(name));
  }

  /**
   * Two scripts in one step: the first one, and when it answers more than 0, the other one with the
   * last of the keys, of which the first one does not know.
   *
   * @return a script that answers a list: of the first answer, then of the other ones
   */
  static LuaScript load(String first, String then) {
    String both =
        """
        local function first(KEYS, ARGV)
        %s
        end
        local function second(KEYS, ARGV)
        %s
        end
        local last = table.remove(KEYS)
        local answer = first(KEYS, ARGV)
        if type(answer) == 'table' then
          return answer
        end
        local answers = answer > 0 and second({last}, {}) or {}
        table.insert(answers, 1, answer)
        return answers
        """;
    return new LuaScript(
        both.formatted(utf8(text(first)), utf8(text(then))).getBytes(StandardCharsets.UTF_8));
  }

  private static String utf8(byte[] text) {
    return new String(text, StandardCharsets.UTF_8);
  }

  private static byte[] text(String name) {
    try (InputStream resource = LuaScript.class.getResourceAsStream(name + ".lua")) {
      if (resource == null) {
        throw new IllegalStateException("the script " + name + ".lua is missing on the class path");
      }
      return resource.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("the script " + name + ".lua cannot be read", e);
    }
  }

  private static String sha1(byte[] text) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(
          "this Java runtime has no SHA-1, which every one must have", e);
    }
  }

  /** Runs it if the server knows it. */
  <A> Publisher<A> byHash(
      RedisScriptingReactiveCommands<String, String> redis,
      ScriptOutputType type,
      String[] keys,
      String... args) {
    return redis.evalsha(hash, type, keys, args);
  }

  /** Runs it, and makes its hash known to the server. */
  <A> Publisher<A> byText(
      RedisScriptingReactiveCommands<String, String> redis,
      ScriptOutputType type,
      String[] keys,
      String... args) {
    return redis.eval(text, type, keys, args);
  }

  /** Runs it without keys, when a connection is not yet shared. */
  <A> CompletionStage<A> now(
      RedisScriptingAsyncCommands<String, String> redis, ScriptOutputType type, String... args) {
    return redis.eval(text, type, new String[0], args);
  }
}
