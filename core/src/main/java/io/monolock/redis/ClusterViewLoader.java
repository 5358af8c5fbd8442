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
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Loads the view of a cluster, which master has which slots, from its servers.
 *
 * <p>A server that was cut off, or is about to be replaced, has an old view without knowing. So
 * several are asked, and of the first answers, one more than half, the one with the latest
 * configuration epoch counts. If none answers, the Lettuce client is asked, which begins with the
 * servers it was configured with.
 */
final class ClusterViewLoader {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterViewLoader.class);
  private static final int MOST_ASKED = 5;
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  private final RedisClusterClient client;

  ClusterViewLoader(RedisClusterClient client) {
    this.client = client;
  }

  /** The latest view, from some of the servers if any are known. */
  Mono<Partitions> latest(Collection<RedisNode> nodes) {
    List<RedisNode> asked = new ArrayList<>(nodes);
    Collections.shuffle(asked);
    asked = asked.subList(0, Math.min(asked.size(), MOST_ASKED));
    return Flux.fromIterable(asked)
        .flatMap(ClusterViewLoader::of)
        .take(asked.size() / 2 + 1)
        .reduce((one, other) -> lastChange(one) >= lastChange(other) ? one : other)
        .switchIfEmpty(Mono.defer(this::ofClient));
  }

  /** Empty if the server does not answer in time; a later answer is dropped. */
  private static Mono<Partitions> of(RedisNode node) {
    return Mono.defer(
        () -> {
          Sinks.One<Partitions> view = Sinks.one();
          CompletableFuture<?> unused =
              CommandCall.opened(node.work())
                  .toFuture()
                  .thenCompose(ClusterViewLoader::ask)
                  .whenComplete((answer, e) -> answered(answer, e, view));
          // with Reactor's own timeout a late answer would be reported as a dropped one
          Future<?> unusedToo = Delays.after(TIMEOUT, () -> view.tryEmitEmpty());
          return view.asMono();
        });
  }

  private static void answered(
      @Nullable String answer, @Nullable Throwable e, Sinks.One<Partitions> view) {
    Partitions all = answer == null ? new Partitions() : ClusterPartitionParser.parse(answer);
    if (all.stream().allMatch(RedisClusterNode::hasNoSlots)) {
      LOG.debug("a server of the cluster does not answer with its view", e);
      view.tryEmitEmpty();
    } else {
      view.tryEmitValue(all);
    }
  }

  private static CompletionStage<String> ask(PipelinedConnection connection) {
    CompletionStage<String> answer = connection.lettuce.async().clusterNodes();
    connection.lettuce.flushCommands();
    return answer;
  }

  private static long lastChange(Partitions view) {
    return view.stream().mapToLong(RedisClusterNode::getConfigEpoch).max().orElse(0);
  }

  private Mono<Partitions> ofClient() {
    return Mono.fromCompletionStage(client.refreshPartitionsAsync())
        .then(Mono.fromCallable(client::getPartitions));
  }
}
