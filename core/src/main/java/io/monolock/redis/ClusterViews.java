// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Finds out who has which part of a cluster, as its servers see it.
 *
 * <p>A server that was cut off, or is about to be replaced, has an old view and does not know. So
 * several are asked, and of the answers of most of them the one with the latest change counts. If
 * none answers, the client of Lettuce is asked, which begins with the servers that it was told.
 */
final class ClusterViews {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterViews.class);
  private static final int MOST_ASKED = 5;
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private final RedisClusterClient client;

  ClusterViews(RedisClusterClient client) {
    this.client = client;
  }

  /** The latest view, from some of the servers if any are known. */
  Mono<Partitions> latest(Collection<RedisNode> servers) {
    List<RedisNode> asked = new ArrayList<>(servers);
    Collections.shuffle(asked);
    asked = asked.subList(0, Math.min(asked.size(), MOST_ASKED));
    return Flux.fromIterable(asked)
        .flatMap(ClusterViews::of)
        .take(asked.size() / 2 + 1)
        .reduce((one, other) -> lastChange(one) >= lastChange(other) ? one : other)
        .switchIfEmpty(Mono.defer(this::ofClient));
  }

  /** Empty if the server tells nothing in time; what it tells later is nobody's concern. */
  private static Mono<Partitions> of(RedisNode server) {
    return Mono.defer(
        () -> {
          Sinks.One<Partitions> view = Sinks.one();
          CompletableFuture<?> unused =
              server
                  .work()
                  .open()
                  .thenCompose(ClusterViews::ask)
                  // by a timer of Reactor a late view would be dropped where others hear of that
                  .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                  .whenComplete((nodes, e) -> told(nodes, e, view));
          return view.asMono();
        });
  }

  private static void told(
      @Nullable String nodes, @Nullable Throwable e, Sinks.One<Partitions> view) {
    Partitions all = nodes == null ? new Partitions() : ClusterPartitionParser.parse(nodes);
    if (all.stream().allMatch(RedisClusterNode::hasNoSlots)) {
      LOG.debug("a server of the cluster does not tell its view", e);
      view.tryEmitEmpty();
    } else {
      view.tryEmitValue(all);
    }
  }

  private static CompletionStage<String> ask(PipelinedConnection link) {
    CompletionStage<String> nodes = link.connection.async().clusterNodes();
    link.connection.flushCommands();
    return nodes;
  }

  private static long lastChange(Partitions view) {
    return view.stream().mapToLong(RedisClusterNode::getConfigEpoch).max().orElse(0);
  }

  private Mono<Partitions> ofClient() {
    return Mono.fromCompletionStage(client.refreshPartitionsAsync())
        .then(Mono.fromCallable(client::getPartitions));
  }
}
