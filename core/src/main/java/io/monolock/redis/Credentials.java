// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;

/** How to authenticate to servers, as far as that is known, and may be told to them. */
final class Credentials {

  static final String HINT =
      "; a RedisClusterClient does not show its credentials and its use of TLS, so name them with"
          + " RedisLockStore.builder(client, uri)";

  private Credentials() {}

  /** Whether the URI says how to authenticate, or to use TLS. */
  static boolean areIn(RedisURI uri) {
    return uri.isSsl() || secretIsIn(uri);
  }

  /** Whether the URI has a password, or may get one. */
  static boolean secretIsIn(RedisURI uri) {
    RedisCredentialsProvider provider = uri.getCredentialsProvider();
    return provider instanceof StaticCredentialsProvider known
        ? known.resolveCredentialsNow().hasPassword()
        : provider != null;
  }

  /** The failure to connect with a URI in which there are none. */
  static RedisException maybeMissing(Throwable failure) {
    return new RedisException(failure.getMessage() + HINT, failure);
  }
}
