// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.quorum.QuorumLockStore;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The store that a client uses, and its Lettuce client.
 *
 * @param store the store of the locker, which closes it
 * @param client the Lettuce client
 */
record ClientStore(LockStore store, AbstractRedisClient client) {

  /** Less than a third of the time that any client has for a command. */
  private static final Duration MEMBER_TIMEOUT = Duration.ofMillis(200);

  private static final Duration REPLICATION_TIMEOUT = Duration.ofMillis(200);

  /**
   * Creates a store.
   *
   * @param address one URI, or several with commas between them
   */
  static ClientStore of(ChaosTopology topology, String address, boolean wipedVotes) {
    return switch (topology) {
      case STANDALONE, SENTINEL -> ofOne(uri(address));
      case REPLICATED -> ofReplicated(uris(address));
      case CLUSTER -> ofCluster(uris(address));
      case QUORUM -> ofQuorum(uris(address), wipedVotes);
    };
  }

  private static ClientStore ofOne(RedisURI uri) {
    RedisClient client = RedisClient.create(uri);
    return new ClientStore(RedisLockStore.create(client, uri), client);
  }

  private static ClientStore ofReplicated(List<RedisURI> uris) {
    RedisClient client = RedisClient.create();
    LockStore store = RedisLockStore.builder(client, uris).replicas(1, REPLICATION_TIMEOUT).build();
    return new ClientStore(store, client);
  }

  private static ClientStore ofCluster(List<RedisURI> uris) {
    RedisClusterClient client = RedisClusterClient.create(uris);
    return new ClientStore(RedisLockStore.create(client), client);
  }

  private static ClientStore ofQuorum(List<RedisURI> uris, boolean wipedVotes) {
    RedisClient client = RedisClient.create();
    List<RedisLockStore> members =
        uris.stream().map(uri -> RedisLockStore.create(client, uri)).toList();
    LockStore store =
        QuorumLockStore.builder(members, ChaosTopology.QUORUM.longestTtl())
            .memberTimeout(MEMBER_TIMEOUT)
            .restartedMembersVoteAtOnce(wipedVotes)
            .build();
    return new ClientStore(store, client);
  }

  private static List<RedisURI> uris(String address) {
    return Stream.of(address.split(",")).map(ClientStore::uri).toList();
  }

  private static RedisURI uri(String address) {
    RedisURI uri = RedisURI.create(address);
    uri.setTimeout(Duration.ofSeconds(1));
    uri.getSentinels().forEach(sentinel -> sentinel.setTimeout(Duration.ofSeconds(1)));
    return uri;
  }

  /** Ends the Lettuce client. */
  void shutDown() {
    client.shutdownAsync(0, 2, TimeUnit.SECONDS).join();
  }
}
