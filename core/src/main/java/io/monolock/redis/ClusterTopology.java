// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreHealth;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The masters of a cluster, each with its connections, and which of them has which hash slot.
 *
 * <h2>Why not the connections of Lettuce's cluster client</h2>
 *
 * <p>They send a command again whose caller has given up: after a reconnect, to another server, or
 * after a redirection. An acquisition would take effect long after its caller had gone. So there is
 * a {@link RedisNode} for each master, which treats a lost connection as it does for a lone server,
 * and only redirections are followed here: a server that redirects has not run the call.
 *
 * <h2>The view of the cluster</h2>
 *
 * <p>It may be out of date. A server that does not have the slot of a call, or no longer, names the
 * one that has. That is followed at once. When a server cannot be reached, another one is asked,
 * which names the one that has taken its place. In both cases Lettuce is asked for a new view,
 * which takes it long while a server hangs; calls do not wait for that. A server that names its own
 * address has been replaced there, so it is left, and the address is connected to anew.
 */
final class ClusterTopology implements Topology {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterTopology.class);
  private static final int MOST_REDIRECTIONS = 5;
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_CALL = Duration.ofSeconds(10);

  private record Master(Address address, RedisNode node) {}

  private final RedisClusterClient cluster;
  private final @Nullable RedisURI settings;
  private final RedisClient client;
  private final VersionCheck versionCheck = new VersionCheck();
  private final WakeUps wakeUps;
  private final Map<Address, Master> masters = new ConcurrentHashMap<>();
  private final Set<Master> dismissed = ConcurrentHashMap.newKeySet();
  private final AtomicReferenceArray<@Nullable Master> bySlot =
      new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);

  private Awaited<Boolean> renewal = Awaited.failed(ErrorMapping.closed()); // guarded by this
  private long renewedAt = System.nanoTime() - PAUSE.toNanos(); // guarded by this
  private volatile @Nullable RedisURI seen;
  private volatile boolean closed;

  /**
   * @param cluster provides the view of the cluster, its options and its threads
   * @param settings how to connect to each server; null to use what the view shows of that
   */
  ClusterTopology(RedisClusterClient cluster, @Nullable RedisURI settings, WakeUps wakeUps) {
    this.cluster = cluster;
    this.settings = settings;
    this.client = RedisClient.create(cluster.getResources());
    this.client.setOptions(cluster.getOptions());
    this.wakeUps = wakeUps;
  }

  @Override
  public Route route(String key, boolean waiting) {
    return new SlotRoute(
        HashSlots.of(key), waiting ? RedisNode::waitIfOpen : RedisNode::work, RedisNode::asking, 0);
  }

  @Override
  public Route grants(String key) {
    return new SlotRoute(HashSlots.of(key), RedisNode::grants, RedisNode::askingGrants, 0);
  }

  @Override
  public boolean openWait(String key) {
    Master master = bySlot.get(HashSlots.of(key));
    return master != null && master.node.openWait();
  }

  @Override
  public void check(LockKeys keys, UnaryOperator<String> name, boolean fenced) {
    HashSlots.check(keys, name, fenced);
  }

  @Override
  public String fence(String key) {
    return HashSlots.fence(key);
  }

  @Override
  public Mono<StoreHealth> health() {
    return renewed().flatMap(node -> node.health("cluster")).reduce(ClusterTopology::both);
  }

  @Override
  public Mono<Void> warmUp(boolean replicated) {
    return renewed().flatMap(node -> node.warmUp(replicated)).then();
  }

  /** The masters that have slots, after the view was loaded again. */
  private Flux<RedisNode> renewed() {
    return CommandCall.result(this::renew)
        .flatMapMany(done -> Flux.fromStream(owners().map(Master::node)));
  }

  private boolean isViewAwaited() {
    Awaited<Boolean> renewal;
    synchronized (this) {
      renewal = this.renewal;
    }
    return renewal.isWaitedFor();
  }

  private Stream<Master> owners() {
    return IntStream.range(0, bySlot.length())
        .mapToObj(bySlot::get)
        .filter(Objects::nonNull)
        .distinct();
  }

  private static StoreHealth both(StoreHealth one, StoreHealth other) {
    return one.wakeUps().orElse(true) && other.wakeUps().isPresent() ? other : one;
  }

  @Override
  public void overdue(Duration timeout) {
    Awaited<Boolean> renewal;
    synchronized (this) {
      renewal = this.renewal;
    }
    renewal.expire(ReconnectingConnection.latest(timeout), ErrorMapping.notReadyYet());
    masters.values().forEach(master -> master.node.overdue(timeout));
    if (masters.values().stream().anyMatch(master -> master.node.work().isOverdue())) {
      renew();
    }
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          closed = true;
          return Flux.concat(Flux.fromIterable(masters.values()), Flux.fromIterable(dismissed))
              .flatMapDelayError(master -> master.node.close(), Integer.MAX_VALUE, 1)
              .then(Mono.fromFuture(() -> client.shutdownAsync(0, 0, TimeUnit.SECONDS)));
        });
  }

  /** The view after it was loaded again, which begins after a pause unless it is under way. */
  private Awaited<Boolean> renew() {
    Awaited<Boolean> begun;
    long pause;
    synchronized (this) {
      if (closed) {
        return Awaited.failed(ErrorMapping.closed());
      }
      if (!renewal.isDone()) {
        return renewal;
      }
      begun = new Awaited<>();
      renewal = begun;
      pause = Math.max(0, renewedAt + PAUSE.toNanos() - System.nanoTime());
      renewedAt = System.nanoTime() + pause;
    }
    Future<?> unused = Delays.after(Duration.ofNanos(pause), () -> load(begun));
    return begun;
  }

  private void load(Awaited<Boolean> result) {
    try {
      CompletionStage<?> unused =
          cluster
              .refreshPartitionsAsync()
              .thenRun(() -> accept(cluster.getPartitions()))
              .handle((done, e) -> e == null ? result.complete(true) : notLoaded(result, e));
    } catch (RuntimeException e) {
      notLoaded(result, e);
    }
  }

  private static boolean notLoaded(Awaited<Boolean> result, Throwable e) {
    LOG.debug("the view of the cluster could not be renewed", e);
    return result.fail(e);
  }

  private void accept(Partitions view) {
    // others are named without an address, as they came back without their files
    List<RedisClusterNode> nodes =
        view.stream().filter(node -> node.getUri() != null && hasAddress(node.getUri())).toList();
    for (RedisClusterNode node : nodes) {
      if (seen == null || Credentials.areIn(node.getUri())) {
        seen = node.getUri();
      }
      if (!node.hasNoSlots()) {
        Master master = master(Address.of(node.getUri()));
        node.forEachSlot(slot -> bySlot.set(slot, master));
      }
    }
    Set<Address> present =
        nodes.stream().map(node -> Address.of(node.getUri())).collect(Collectors.toSet());
    masters.values().stream()
        .filter(master -> !present.contains(master.address))
        .forEach(this::dismiss);
  }

  private static boolean hasAddress(RedisURI uri) {
    return uri.getPort() > 0 && uri.getHost() != null && !uri.getHost().isEmpty();
  }

  private Master master(Address address) {
    return masters.computeIfAbsent(
        address,
        any ->
            new Master(
                address, new RedisNode(new NodeConnections(address), versionCheck, wakeUps)));
  }

  /** Opens connections to one of the servers. */
  private final class NodeConnections implements ConnectionFactory {

    private final Address address;

    NodeConnections(Address address) {
      this.address = address;
    }

    private RedisURI uri() {
      RedisURI known = settings == null ? seen : settings;
      RedisURI.Builder uri = known == null ? RedisURI.builder() : RedisURI.builder(known);
      return uri.withHost(address.host()).withPort(address.port()).build();
    }

    @Override
    public CompletionStage<StatefulRedisConnection<String, String>> open() {
      RedisURI uri = uri();
      CompletableFuture<StatefulRedisConnection<String, String>> connection =
          client.connectAsync(StringCodec.UTF8, uri).toCompletableFuture();
      return settings != null || Credentials.areIn(uri)
          ? connection
          : connection.exceptionallyCompose(
              e -> CompletableFuture.failedFuture(Credentials.maybeMissing(e)));
    }

    @Override
    public Duration timeout() {
      return ConnectionFactory.timeout(uri());
    }
  }

  /** Gives up a server that is no longer part of the cluster, after its last calls. */
  private void dismiss(Master master) {
    masters.remove(master.address, master);
    dismissed.add(master);
    for (int slot = 0; slot < bySlot.length(); slot++) {
      bySlot.compareAndSet(slot, master, null);
    }
    Future<?> unused =
        Delays.after(
            LONGEST_CALL,
            () -> {
              dismissed.remove(master);
              master
                  .node
                  .close()
                  .subscribe(
                      nothing -> {}, e -> LOG.warn("{} could not be closed", master.address, e));
            });
  }

  /** The route to the master of a slot. */
  private final class SlotRoute implements Route {

    private final int slot;
    private final Function<RedisNode, ReconnectingConnection> connection;
    private final Function<RedisNode, ReconnectingConnection> asking;
    private final int redirections;
    private volatile @Nullable Master asked;

    SlotRoute(
        int slot,
        Function<RedisNode, ReconnectingConnection> connection,
        Function<RedisNode, ReconnectingConnection> asking,
        int redirections) {
      this.slot = slot;
      this.connection = connection;
      this.asking = asking;
      this.redirections = redirections;
    }

    @Override
    public @Nullable PipelinedConnection usable() {
      Master master = redirections > MOST_REDIRECTIONS ? null : bySlot.get(slot);
      asked = master;
      return master == null ? null : connection.apply(master.node).usable();
    }

    @Override
    public void open(long since, Awaited.Listener<PipelinedConnection> call) {
      if (redirections > MOST_REDIRECTIONS) {
        call.answered(null, unsettled("slot " + slot + " moves faster than it can be followed"));
      } else if (bySlot.get(slot) != null && !isViewAwaited()) {
        openNow(since, call);
      } else {
        renew()
            .then(
                since,
                (done, e) -> {
                  if (e != null) {
                    call.answered(null, e);
                  } else {
                    openNow(since, call);
                  }
                });
      }
    }

    private void openNow(long since, Awaited.Listener<PipelinedConnection> call) {
      Master master = bySlot.get(slot);
      asked = master;
      if (master == null) {
        call.answered(null, unsettled("no server has slot " + slot));
        return;
      }
      ReconnectingConnection own = connection.apply(master.node);
      Awaited<?> unused = own.awaited();
      if (own.isOverdue()) {
        call.answered(null, new RedisException("Connection not open yet"));
      } else {
        own.open(since, call);
      }
    }

    /** Another master knows which server has taken the place of one that cannot be reached. */
    @Override
    public @Nullable Route afterOpening(Throwable failure) {
      Master asked = this.asked;
      if (redirections > MOST_REDIRECTIONS || asked == null) {
        return null;
      }
      renew();
      Master other =
          masters.values().stream()
              .filter(master -> !master.equals(asked))
              .min(Comparator.comparing(master -> connection.apply(master.node).usable() == null))
              .orElse(null);
      return new Detour(this, asked, other, failure);
    }

    @Override
    public @Nullable Route after(PipelinedConnection connection, Throwable failure) {
      Master asked = this.asked;
      return asked == null ? null : after(asked, connection, failure);
    }

    @Nullable Route after(Master asked, PipelinedConnection connection, Throwable failure) {
      Redirection redirection = Redirection.in(failure);
      if (redirection == null) {
        if (!(failure instanceof RedisCommandExecutionException) || isDown(failure)) {
          renew();
        }
        return ErrorMapping.isRedirection(failure)
            ? new Detour(this, asked, null, unsettled("no server says where slot " + slot + " is"))
            : null;
      }
      Master other = master(redirection.from(asked.address));
      if (other.equals(asked)) {
        // a server is not its address: another one has got this one's
        asked.node.leave(connection);
      }
      if (redirection.asking()) {
        return new AskingRoute(asking.apply(other.node), again());
      }
      bySlot.set(slot, other);
      renew();
      return again();
    }

    private SlotRoute again() {
      return new SlotRoute(slot, connection, asking, redirections + 1);
    }
  }

  /** The route by way of another master or, without one, of a new view. */
  private final class Detour implements Route {

    private final SlotRoute origin;
    private final Master asked;
    private final @Nullable Master other;
    private final Throwable failure;

    Detour(SlotRoute origin, Master asked, @Nullable Master other, Throwable failure) {
      this.origin = origin;
      this.asked = asked;
      this.other = other;
      this.failure = failure;
    }

    @Override
    public @Nullable PipelinedConnection usable() {
      return other == null ? null : origin.connection.apply(other.node).usable();
    }

    @Override
    public void open(long since, Awaited.Listener<PipelinedConnection> call) {
      if (other != null) {
        origin
            .connection
            .apply(other.node)
            .open(since, (open, e) -> call.answered(open, e == null ? null : failure));
      } else {
        renew()
            .then(
                since,
                (done, e) -> {
                  if (e != null || Objects.equals(bySlot.get(origin.slot), asked)) {
                    call.answered(null, e instanceof StoreFailure ? e : failure);
                  } else {
                    origin.openNow(since, call);
                  }
                });
      }
    }

    @Override
    public @Nullable Route after(PipelinedConnection connection, Throwable failure) {
      if (other == null) {
        return origin.after(connection, failure);
      }
      Redirection redirection = Redirection.in(failure);
      return redirection != null && redirection.from(other.address).equals(asked.address)
          ? new Detour(origin, asked, null, this.failure)
          : origin.after(other, connection, failure);
    }
  }

  private static boolean isDown(Throwable answer) {
    return String.valueOf(answer.getMessage()).contains("CLUSTERDOWN");
  }

  private static StoreFailure unsettled(String what) {
    return new StoreFailure(
        StoreProblem.Reason.SERVER_STATE,
        true,
        "Redis Cluster is being failed over or resharded: " + what,
        null);
  }

  /**
   * The route to a master that is taking over a slot and has the keys already. It redirects back
   * every call without {@code ASKING} in front, which holds for the next call on the connection; so
   * the connection is for such calls only.
   */
  private static final class AskingRoute implements Route {

    private final ReconnectingConnection asking;
    private final SlotRoute origin;

    AskingRoute(ReconnectingConnection asking, SlotRoute origin) {
      this.asking = asking;
      this.origin = origin;
    }

    @Override
    public @Nullable PipelinedConnection usable() {
      return asking.usable();
    }

    @Override
    public void open(long since, Awaited.Listener<PipelinedConnection> call) {
      asking.open(since, call);
    }

    @Override
    public void precede(PipelinedConnection connection) {
      connection.sendAhead(connection.commands.asking());
    }

    @Override
    public @Nullable Route after(PipelinedConnection connection, Throwable failure) {
      return Redirection.in(failure) != null ? origin : origin.after(connection, failure);
    }
  }
}
