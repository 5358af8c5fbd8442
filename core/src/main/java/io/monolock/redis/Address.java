// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisURI;

/** Where a server of a cluster listens. */
record Address(String host, int port) {

  static Address of(RedisURI uri) {
    return new Address(uri.getHost(), uri.getPort());
  }
}
