// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.monolock.store.LockStore;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/** Makes tokens: 132 random bits as 22 characters of the URL-safe base 64 alphabet. */
final class Tokens {

  private static final SecureRandom RANDOM = seeded();
  private static final byte[] ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(ISO_8859_1);

  /** Random bytes for many tokens, as each draw costs as much as several tokens. */
  private static final byte[] AHEAD = new byte[64 * LockStore.TOKEN_LENGTH];

  private static int used = AHEAD.length; // guarded by AHEAD

  private Tokens() {}

  /**
   * Reads the machine's entropy once, here, and never again: other generators read a file for every
   * token, which blocks.
   */
  private static SecureRandom seeded() {
    try {
      SecureRandom random = SecureRandom.getInstance("DRBG");
      random.nextBytes(new byte[16]);
      return random;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(
          "this Java runtime has no DRBG, which Java 9 and newer have", e);
    }
  }

  /** Reads the entropy now, on a thread that may block, and not with the first lock. */
  static void prepare() {
    // done by the initialisation of this class
  }

  static String next() {
    byte[] token = new byte[LockStore.TOKEN_LENGTH];
    synchronized (AHEAD) {
      if (used == AHEAD.length) {
        RANDOM.nextBytes(AHEAD);
        used = 0;
      }
      System.arraycopy(AHEAD, used, token, 0, token.length);
      used += token.length;
    }
    return text(token);
  }

  /** A token that can be foretold, for a locker whose every step is to be repeatable. */
  static String next(RandomGenerator random) {
    byte[] token = new byte[LockStore.TOKEN_LENGTH];
    random.nextBytes(token);
    return text(token);
  }

  private static String text(byte[] token) {
    for (int i = 0; i < token.length; i++) {
      token[i] = ALPHABET[token[i] & 63];
    }
    return new String(token, ISO_8859_1);
  }
}
