// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.reactive.RedisScriptingReactiveCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * A script that runs on the server, in one step.
 *
 * <p>It is called by its hash. A server that does not know it, because it is new or was restarted
 * or emptied of scripts, is given the whole text on the same connection, and knows it from then on.
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
    try (InputStream resource = LuaScript.class.getResourceAsStream(name + ".lua")) {
      if (resource == null) {
        throw new IllegalStateException("the script " + name + ".lua is missing on the class path");
      }
      return new LuaScript(resource.readAllBytes());
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

  /** Runs a script that answers an integer; no answer is an error. */
  Mono<Long> integer(
      RedisScriptingReactiveCommands<String, String> redis, String[] keys, String... args) {
    return run(redis, ScriptOutputType.INTEGER, keys, args);
  }

  /** Runs a script that answers a list; no answer is an error. */
  Mono<List<Object>> list(
      RedisScriptingReactiveCommands<String, String> redis, String[] keys, String... args) {
    return run(redis, ScriptOutputType.MULTI, keys, args);
  }

  private <T> Mono<T> run(
      RedisScriptingReactiveCommands<String, String> redis,
      ScriptOutputType type,
      String[] keys,
      String... args) {
    return redis
        .<T>evalsha(hash, type, keys, args)
        .onErrorResume(RedisNoScriptException.class, unknown -> redis.eval(text, type, keys, args))
        .single();
  }
}
