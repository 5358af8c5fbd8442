// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import org.jspecify.annotations.Nullable;

/** Adds credentials to URIs, in a way that all versions of Lettuce know. */
final class Uris {

  private Uris() {}

  /** Nothing is added without both; a password alone is that of the default user. */
  static void authenticate(RedisURI uri, @Nullable String username, @Nullable String password) {
    boolean named = username != null && !username.isEmpty();
    if (named || (password != null && !password.isEmpty())) {
      uri.setCredentialsProvider(
          new StaticCredentialsProvider(
              named ? username : null, password == null ? new char[0] : password.toCharArray()));
    }
  }
}
