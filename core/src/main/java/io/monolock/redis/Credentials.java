// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;

/** Whether it is known how to authenticate to the servers of a cluster. */
final class Credentials {

  static final String HINT =
      "; a RedisClusterClient does not show its credentials and its use of TLS, so name them with"
          + " RedisLockStore.builder(client, uri)";

  private Credentials() {}

  /** Whether the URI says how to authenticate, or to use TLS. */
  static boolean areIn(RedisURI uri) {
    RedisCredentialsProvider provider = uri.getCredentialsProvider();
    if (provider instanceof StaticCredentialsProvider known) {
      return uri.isSsl() || known.resolveCredentialsNow().hasPassword();
    }
    return uri.isSsl() || provider != null;
  }

  /** The failure to connect with a URI in which there are none. */
  static RedisException maybeMissing(Throwable failure) {
    return new RedisException(failure.getMessage() + HINT, failure);
  }
}
