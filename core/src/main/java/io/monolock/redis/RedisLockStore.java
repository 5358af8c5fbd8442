// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.Incarnation;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreHealth;
import io.monolock.store.Transfer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Keeps locks in Redis: version 6.2 or newer, Valkey, or a server that is compatible with them.
 *
 * <p>Creating a store sends nothing and never blocks. Its connections are opened on first use,
 * shared by all calls, and opened anew after they were lost. They are the store's own, so that
 * locks never queue behind the other traffic of an application; the client belongs to the
 * application, which shuts it down after the locker is closed.
 *
 * <h2>Two connections</h2>
 *
 * <p>All calls go over one connection, except the attempts of waiters, that is, of acquisitions
 * that another holder makes wait: they go over a second connection, which is opened for the first
 * waiter. There, Redis tracks the keys that are read, and pushes a message when one of them is
 * released, expires, is deleted or overwritten, by any client. So nothing is pushed to a process
 * without waiters, and many waiters delay no release.
 *
 * <p>That needs RESP3, which is Lettuce's default, and the command {@code CLIENT TRACKING}. Where
 * either is missing, one warning is logged, and waiters only try again by themselves, as they also
 * do while the second connection is down.
 *
 * <h2>What is in Redis</h2>
 *
 * <p>Each key of a lock holds a string, the token followed by the metadata, and has a time to live:
 * what {@code SET key token NX PX ttl} writes. A client in any language that keeps to that excludes
 * this store, and is excluded by it, on the same keys. A key whose value does not start with the
 * token has another holder and is never changed, except by {@link #forceRelease}.
 *
 * <p>For a fenced lock, the key with the suffix {@code :fence} holds the last fencing number, a
 * blank, and the token that it was issued to; it lives for 24 hours. The number is the server's
 * time in microseconds or one more than the last number, whichever is higher.
 *
 * <p>{@link Builder#keyPrefix} puts a text in front of all these keys.
 *
 * <p>A member of a quorum keeps in the key {@code monolock:beginning} since when it has forgotten
 * nothing; the key lives for half a year to a year after it was last read. It is refused as the key
 * of a lock.
 *
 * <h2>What it needs of Redis</h2>
 *
 * <p>Each call is one script. A user of Redis needs access to the keys and their fence keys, and to
 * the commands {@code EVALSHA}, {@code EVAL}, {@code SET}, {@code SETRANGE}, {@code GETEX}, {@code
 * PTTL}, {@code PEXPIRE}, {@code DEL} and {@code TIME}; {@link #wakeUps} also needs the subcommand
 * {@code CLIENT|TRACKING}, a {@linkplain #becomeMember() member} of a quorum the command {@code
 * INFO}, {@link Builder#replicas} {@code WAIT}, a store on several servers {@code ROLE}, and a
 * cluster {@code CLUSTER|NODES} and {@code ASKING}. {@code HELLO} needs no permission.
 *
 * <h2>When another server becomes the primary</h2>
 *
 * <p>Calls that are under way fail, and may have taken effect or not; later ones go to the new
 * primary as soon as it is known. A connection to a server that has become a replica is closed as
 * soon as the server says so, and a replica never answers that a lock is not held. All these
 * failures are {@linkplain io.monolock.store.StoreFailure#isTransient() transient}. But replicas
 * get writes a little later than the primary: a lock that was granted just before may be unknown to
 * the new primary, and be granted again. {@link Builder#replicas} makes that less likely. Replicas
 * must not be writable ({@code replica-read-only no}).
 *
 * <p>Calls fail with {@link io.monolock.store.StoreFailure} only. Their signals may come in threads
 * of Lettuce, which must not be blocked. A call that was sent takes effect even if it is cancelled.
 */
public final class RedisLockStore implements LockStore {

  private static final LuaScript ACQUIRE = LuaScript.load("acquire");
  private static final LuaScript ACQUIRE_AS_MEMBER = LuaScript.load("acquire", "incarnation");
  private static final LuaScript PEEK = LuaScript.load("peek");
  private static final LuaScript EXTEND = LuaScript.load("extend");
  private static final LuaScript RELEASE = LuaScript.load("release");
  private static final LuaScript REMAINING = LuaScript.load("remaining");
  private static final LuaScript TRANSFER = LuaScript.load("transfer");
  private static final LuaScript RAISE_FENCE = LuaScript.load("raise_fence");
  private static final LuaScript INSPECT = LuaScript.load("inspect");
  private static final LuaScript INCARNATION = LuaScript.load("incarnation");
  private static final LuaScript FORCE_RELEASE = LuaScript.load("force_release");

  private static final String MARKER = "monolock:beginning";
  private static final String MOST_SHOWN = String.valueOf(TOKEN_LENGTH + 64 * 1_024);
  private static final Pattern LOCK =
      Pattern.compile("[A-Za-z0-9_-]{" + TOKEN_LENGTH + "}(.*)", Pattern.DOTALL);

  private static volatile Millis lastMillis = new Millis(Duration.ZERO, "0");

  private final WakeUps wakeUps;
  private final Topology topology;
  private final @Nullable Replicas replicas;

  private final String prefix;
  private volatile boolean isMember;

  private RedisLockStore(Builder builder) {
    this.prefix = builder.keyPrefix;
    this.wakeUps = new WakeUps(prefix);
    this.topology = builder.topology.apply(builder, wakeUps);
    this.replicas = builder.replicas;
  }

  /**
   * A store on the server that the client was created for.
   *
   * <p>Lettuce can open a connection to that server only by blocking a thread. So this store
   * borrows one of {@link Schedulers#boundedElastic()} whenever it opens a connection, which {@link
   * #create(RedisClient, RedisURI)} does not.
   *
   * @param client a client that was created with a {@link RedisURI}; if it was not, every call
   *     fails with a {@link io.monolock.store.StoreFailure} of reason {@code MISUSE}
   * @return a new store
   */
  public static RedisLockStore create(RedisClient client) {
    return builder(client).build();
  }

  /**
   * A store on the server that the URI names, or on the one that the Sentinels in the URI name.
   *
   * <p>The Sentinels are asked each time a connection is opened. If a lone server turns out to be a
   * replica, the store uses its primary instead, provided that the user of Redis may run {@code
   * ROLE} and that the address the replica gives can be reached from here. With credentials that
   * takes {@link Builder#followWithCredentials}.
   *
   * @param client a client, with or without a {@link RedisURI} of its own
   * @param uri the server, or the Sentinels that know it; its timeout bounds the opening of a
   *     connection, not the calls
   * @return a new store
   */
  public static RedisLockStore create(RedisClient client, RedisURI uri) {
    return builder(client, uri).build();
  }

  /**
   * A store on the primary among some servers.
   *
   * <p>They are asked for their role each time a connection is opened; if none is the primary, the
   * servers that they replicate are asked. If two of them say that they are the primary, calls fail
   * with a transient failure until one is made a replica: a lock might be held on both.
   *
   * @param client a client, with or without a {@link RedisURI} of its own
   * @param uris the servers, one or more, in any order; no Sentinels
   * @return a new store
   */
  public static RedisLockStore create(RedisClient client, Collection<RedisURI> uris) {
    return builder(client, uris).build();
  }

  /**
   * A store on a cluster.
   *
   * <p>Keys that are locked together must be in one hash slot. Each master gets connections as a
   * lone server does, when it is first needed, with the options and the threads of the client. The
   * client itself only provides the view of the cluster. Calls follow a slot that moves, and the
   * view is renewed when a server answers that it is out of date or does not answer; the client's
   * own refresh need not be on.
   *
   * <p>A cluster client does not always show its credentials and whether it uses TLS. Where they
   * are needed and not shown, calls fail; {@link #builder(RedisClusterClient, RedisURI)} takes
   * them.
   *
   * @param client a client that was created with the {@link RedisURI} of some of the servers
   * @return a new store
   */
  public static RedisLockStore create(RedisClusterClient client) {
    return builder(client).build();
  }

  /**
   * Begins to build a store as {@link #create(RedisClient)} creates it.
   *
   * @param client a client that was created with a {@link RedisURI}
   * @return a builder with the defaults
   */
  public static Builder builder(RedisClient client) {
    Objects.requireNonNull(client, "client must not be null");
    ConnectionFactory blocking =
        () ->
            CompletableFuture.supplyAsync(
                () -> client.connect(StringCodec.UTF8), Schedulers.boundedElastic()::schedule);
    return on(settings -> blocking);
  }

  /**
   * Begins to build a store as {@link #create(RedisClient, RedisURI)} creates it.
   *
   * @param client a client, with or without a {@link RedisURI} of its own
   * @param uri the server, or the Sentinels that know it
   * @return a builder with the defaults
   */
  public static Builder builder(RedisClient client, RedisURI uri) {
    Objects.requireNonNull(client, "client must not be null");
    Objects.requireNonNull(uri, "uri must not be null");
    return on(
        settings ->
            SentinelConnectionFactory.areIn(uri)
                ? new SentinelConnectionFactory(client, uri)
                : new PrimaryFinder(client, List.of(uri), false, settings.trustsReplicas));
  }

  /**
   * Begins to build a store as {@link #create(RedisClient, Collection)} creates it.
   *
   * @param client a client, with or without a {@link RedisURI} of its own
   * @param uris the servers, one or more; no Sentinels
   * @return a builder with the defaults
   */
  public static Builder builder(RedisClient client, Collection<RedisURI> uris) {
    Objects.requireNonNull(client, "client must not be null");
    List<RedisURI> servers = List.copyOf(uris);
    PrimaryFinder.check(servers);
    return on(settings -> new PrimaryFinder(client, servers, true, settings.trustsReplicas));
  }

  /**
   * Begins to build a store as {@link #create(RedisClusterClient)} creates it.
   *
   * @param client a client that was created with the {@link RedisURI} of some of the servers
   * @return a builder with the defaults
   */
  public static Builder builder(RedisClusterClient client) {
    Objects.requireNonNull(client, "client must not be null");
    return new Builder((settings, wakeUps) -> new ClusterTopology(client, null, wakeUps));
  }

  /**
   * Begins to build a store on a cluster, as {@link #create(RedisClusterClient)} creates it, whose
   * connections have the settings of a URI.
   *
   * @param client a client that was created with the {@link RedisURI} of some of the servers
   * @param uri the user, TLS, timeout and name of all connections; its host and port do not count
   * @return a builder with the defaults
   */
  public static Builder builder(RedisClusterClient client, RedisURI uri) {
    Objects.requireNonNull(client, "client must not be null");
    Objects.requireNonNull(uri, "uri must not be null");
    return new Builder((settings, wakeUps) -> new ClusterTopology(client, uri, wakeUps));
  }

  private static Builder on(Function<Builder, ConnectionFactory> factory) {
    return new Builder(
        (settings, wakeUps) -> new RedisNode(factory.apply(settings), new VersionCheck(), wakeUps));
  }

  /** Settings of a store. A builder can build several stores. */
  public static final class Builder {

    private final BiFunction<Builder, WakeUps, Topology> topology;
    private @Nullable Replicas replicas;
    private String keyPrefix = "";
    private boolean trustsReplicas;

    private Builder(BiFunction<Builder, WakeUps, Topology> topology) {
      this.topology = topology;
    }

    /**
     * Puts a text in front of each key in Redis, so that locks and the data of applications never
     * meet. Callers, messages and metrics use keys without it. It counts towards the length of a
     * key, and is part of everything that the store keeps. Clients in other languages exclude this
     * store with the whole key.
     *
     * @param prefix what each key begins with, such as {@code lock:}; by default nothing. A brace
     *     in it is refused, as it would decide on the hash slot of all keys
     * @return this builder
     */
    public Builder keyPrefix(String prefix) {
      Objects.requireNonNull(prefix, "prefix must not be null");
      if (prefix.contains("{") || prefix.contains("}")) {
        throw new IllegalArgumentException(
            "prefix must have no brace, was " + LockKeys.escaped(prefix));
      }
      keyPrefix = prefix.isEmpty() ? prefix : LockKeys.of(prefix).asList().get(0);
      return this;
    }

    /**
     * Allows to send the credentials of a server that turns out to be a replica to its primary, at
     * the address that the replica names. By default they are sent to servers that were named only:
     * a replica that has credentials is not followed to any other address, as it may be that of a
     * stranger.
     *
     * @param follow whether to trust the replicas
     * @return this builder
     */
    public Builder followWithCredentials(boolean follow) {
      trustsReplicas = follow;
      return this;
    }

    /**
     * Makes a grant count only once replicas have it. After each grant, and each hand-over from one
     * holder to the next, Redis is asked with {@code WAIT}; if too few replicas have it in time,
     * the call fails with a {@link io.monolock.store.StoreFailure} of reason {@code
     * NOT_REPLICATED}, which is worth trying again. The primary has the keys then: a locker asks
     * for them again, or releases them, as it does after each call in doubt.
     *
     * <p>It costs one more round trip for each grant, and the time that replicas take. By default
     * grants wait for none. Only grants do: if a primary fails, a lock may end on the new one as
     * early as without its last extension, and its next extension then finds it lost.
     *
     * <p>A grant that counts can still be lost: when a replica without it is promoted, or when a
     * replica that had it restarts empty. So {@code WAIT} is no quorum.
     *
     * <p>The grants of a server have a connection of their own, so that none delays extensions and
     * releases. One {@code WAIT} stands for all grants since the last one; a call that comes
     * meanwhile is sent afterwards.
     *
     * @param number how many replicas, 1 or more; more than the server has is never reached
     * @param timeout how long to wait for them, 1 ms to 24 hours, rounded up to whole milliseconds;
     *     as the {@code commandTimeout} of the locker ends an attempt too, shorter than half of
     *     that
     * @return this builder
     */
    public Builder replicas(int number, Duration timeout) {
      replicas = new Replicas(number, timeout);
      return this;
    }

    /**
     * Creates a store, which sends nothing.
     *
     * @return a new store
     */
    public RedisLockStore build() {
      return new RedisLockStore(this);
    }
  }

  /**
   * Opens the connections that the first calls need, so that no caller waits for that. To be
   * subscribed when an application starts; leaving it out costs the first call the time. In a
   * cluster, the connections to all masters are opened.
   *
   * <p>It fails with {@link io.monolock.store.StoreFailure} if a connection cannot be opened, after
   * the timeout of the {@link RedisURI} at the latest; calls try again by themselves. Cancelling it
   * changes nothing. It signals in a thread of Lettuce.
   *
   * @return completes when the connections are open
   */
  public Mono<Void> warmUp() {
    return topology.warmUp(replicas != null);
  }

  @Override
  public void check(LockKeys keys, boolean fenced) {
    if (keys.asSet().contains(MARKER)) {
      throw new IllegalArgumentException("a key must not be " + MARKER + ", which is in use");
    }
    if (!prefix.isEmpty()) {
      keys.asList().forEach(key -> LockKeys.of(prefix + key));
    }
    topology.check(keys, this::name, fenced);
  }

  /**
   * {@inheritDoc}
   *
   * <p>While {@link #wakeUps} of the keys has a subscriber, the attempt goes over the tracked
   * connection, unless that is still being opened.
   */
  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    boolean waiting = wakeUps.asks(keys) && topology.openWait(first(keys));
    Replicas replicas = this.replicas;
    if (replicas != null) {
      Mono<Grant> acquisition =
          confirmed(
                  replicas,
                  keys,
                  ACQUIRE,
                  names(keys, fenced),
                  token,
                  metadata,
                  millis(ttl),
                  flag(fenced))
              .map(answer -> grant(answer, fenced));
      return waiting ? peekFirst(keys, token, fenced, acquisition) : acquisition;
    }
    LongFunction<Grant> meaning =
        waiting ? answer -> waitersGrant(keys, answer, fenced) : answer -> grant(answer, fenced);
    if (isMember) {
      return asMember(
          topology.route(first(keys), waiting),
          keys,
          fenced,
          answer -> witnessed(meaning.apply((Long) answer.get(0)), answer),
          token,
          metadata,
          millis(ttl),
          flag(fenced),
          flag(waiting));
    }
    return integer(
        topology.route(first(keys), waiting),
        ACQUIRE,
        names(keys, fenced),
        meaning::apply,
        waiting || fenced
            ? new String[] {token, metadata, millis(ttl), flag(fenced), flag(waiting)}
            : new String[] {token, metadata, millis(ttl)});
  }

  /** An acquisition that also tells of which incarnation the server was when it granted. */
  private Mono<Grant> asMember(
      Route route,
      LockKeys keys,
      boolean fenced,
      Function<List<Object>, Grant> meaning,
      String... args) {
    String[] locks = names(keys, fenced);
    String[] all = Arrays.copyOf(locks, locks.length + 1);
    all[locks.length] = name(MARKER);
    return new ScriptCall<List<Object>, Grant>(
        route,
        ACQUIRE_AS_MEMBER,
        ScriptOutputType.MULTI,
        all,
        args,
        (answer, connection) -> meaning.apply(answer));
  }

  private static Grant witnessed(Grant grant, List<Object> answer) {
    return grant instanceof Grant.Granted granted
        ? new Grant.Granted(
            granted.fresh(),
            granted.fencingToken(),
            Optional.of(incarnation(answer.subList(1, answer.size()))))
        : grant;
  }

  /**
   * A grant that waits for replicas goes over an untracked connection, so a waiter's attempt first
   * reads the keys over the tracked one: both those that are busy and those that are free but may
   * be taken meanwhile.
   */
  private Mono<Grant> peekFirst(
      LockKeys keys, String token, boolean fenced, Mono<Grant> acquisition) {
    return integer(topology.route(first(keys), true), PEEK, names(keys), Function.identity(), token)
        .flatMap(answer -> answer > 0 ? acquisition : Mono.just(grant(answer, fenced)));
  }

  /** A call whose answer counts, if it is a grant, only when replicas have it. */
  private Mono<Long> confirmed(
      Replicas replicas, LockKeys keys, LuaScript script, String[] names, String... args) {
    return new ScriptCall<Long, Mono<Long>>(
            topology.grants(first(keys)),
            script,
            ScriptOutputType.INTEGER,
            names,
            args,
            (answer, connection) ->
                answer > 0
                    ? connection.confirmations.of(replicas).thenReturn(answer)
                    : Mono.just(answer))
        .flatMap(Function.identity());
  }

  /** Any key would do: all are on one server. */
  private String first(LockKeys keys) {
    return name(keys.asList().get(0));
  }

  /** The key as it is in Redis. */
  private String name(String key) {
    return prefix.isEmpty() ? key : prefix + key;
  }

  private Route work(LockKeys keys) {
    return topology.route(first(keys), false);
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return integer(work(keys), EXTEND, names(keys), RedisLockStore::isDone, token, millis(ttl));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    String[] args = keepFor.isZero() ? new String[] {token} : new String[] {token, millis(keepFor)};
    return integer(work(keys), RELEASE, names(keys), RedisLockStore::isDone, args);
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return integer(work(keys), REMAINING, names(keys), Duration::ofMillis, token);
  }

  /**
   * In one script if the first token holds all keys; else the answer is that of an acquisition by
   * the second token.
   */
  @Override
  public Mono<Transfer> transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    String[] names = names(keys, fenced);
    String[] args = {from, to, metadata, millis(ttl), flag(fenced)};
    Replicas replicas = this.replicas;
    return (replicas == null
            ? integer(work(keys), TRANSFER, names, Function.<Long>identity(), args)
            : confirmed(replicas, keys, TRANSFER, names, args))
        .flatMap(
            number ->
                number > 0
                    ? Mono.just(new Transfer(true, granted(true, number, fenced)))
                    : acquire(keys, to, metadata, ttl, fenced)
                        .map(grant -> new Transfer(false, grant)));
  }

  @Override
  public Mono<Boolean> raiseFence(LockKeys keys, String token, long number) {
    return integer(
        work(keys),
        RAISE_FENCE,
        names(keys, true),
        RedisLockStore::isDone,
        token,
        Long.toString(number));
  }

  @Override
  public Mono<Holder> inspect(String key) {
    return new ScriptCall<List<Object>, Holder>(
        topology.route(name(key), false),
        INSPECT,
        ScriptOutputType.MULTI,
        new String[] {name(key)},
        new String[] {MOST_SHOWN},
        (answer, connection) -> holder(key, answer));
  }

  /**
   * {@inheritDoc}
   *
   * <p>A server counts as one that has forgotten when it was restarted, even if it has loaded its
   * data, as it may have lost the last writes; when it was a replica before; and when it was
   * emptied. It remembers since the first grant after that. So a member may also be a primary with
   * replicas that take over. Not a cluster, whose servers forget each for itself.
   */
  @Override
  public void becomeMember() {
    if (topology instanceof ClusterTopology) {
      throw new IllegalArgumentException(
          "a member of a quorum must be one server, or a primary and its replicas, not a cluster");
    }
    if (replicas != null) {
      throw new IllegalArgumentException(
          "a member of a quorum must be built without replicas(...), which the quorum replaces");
    }
    isMember = true;
  }

  @Override
  public Mono<Void> declareNew() {
    return new ScriptCall<List<Object>, Incarnation>(
            topology.route(name(MARKER), false),
            INCARNATION,
            ScriptOutputType.MULTI,
            new String[] {name(MARKER)},
            new String[] {flag(true)},
            (answer, connection) -> incarnation(answer))
        .then();
  }

  private static Incarnation incarnation(List<Object> answer) {
    return new Incarnation((String) answer.get(0), Duration.ofMillis((Long) answer.get(1)));
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return integer(
        topology.route(name(key), false),
        FORCE_RELEASE,
        new String[] {name(key)},
        RedisLockStore::isDone);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Emits when Redis pushes that one of the keys has changed since the last attempt over the
   * tracked connection, once upon the subscription if that connection is open, and each time it has
   * been opened. Pushes after which no attempt is granted, dozens in a row, are passed on no more
   * often than the waiter tries by itself. It may emit in a thread of Lettuce.
   */
  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return wakeUps.of(keys, () -> topology.openWait(first(keys)));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Sends a {@code PING}, a command that a user of Redis needs for this only.
   */
  @Override
  public Mono<StoreHealth> health() {
    return topology.health();
  }

  @Override
  public void overdue(Duration timeout) {
    topology.overdue(timeout);
  }

  @Override
  public Mono<Void> close() {
    return topology.close();
  }

  private static <T> Mono<T> integer(
      Route route,
      LuaScript script,
      String[] keys,
      Function<? super Long, ? extends T> meaning,
      String... args) {
    return new ScriptCall<Long, T>(
        route,
        script,
        ScriptOutputType.INTEGER,
        keys,
        args,
        (answer, connection) -> meaning.apply(answer));
  }

  private static boolean isDone(long answer) {
    return answer == 1;
  }

  private static Grant grant(long answer, boolean fenced) {
    if (answer > 0) {
      return granted(isFresh(answer), answer / 2, fenced);
    }
    return new Grant.Busy(
        answer == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(-1 - answer)));
  }

  private Grant waitersGrant(LockKeys keys, long answer, boolean fenced) {
    if (answer > 0) {
      wakeUps.granted(keys);
    }
    return grant(answer, fenced);
  }

  private static boolean isFresh(long grant) {
    return grant % 2 == 0;
  }

  private static Grant granted(boolean fresh, long number, boolean fenced) {
    return new Grant.Granted(fresh, fenced ? OptionalLong.of(number) : OptionalLong.empty());
  }

  private static @Nullable Holder holder(String key, List<Object> answer) {
    long pttl = (Long) answer.get(0);
    if (pttl == -2) {
      return null;
    }
    Optional<String> metadata = Optional.empty();
    boolean isText = answer.size() > 1;
    if (isText) {
      Matcher lock = LOCK.matcher((String) answer.get(1));
      metadata = lock.matches() ? Optional.of(lock.group(1)) : Optional.empty();
    }
    Optional<Duration> remaining =
        pttl < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(pttl));
    return new Holder(
        key, metadata, remaining, isText && (metadata.isPresent() || remaining.isPresent()));
  }

  private String[] names(LockKeys keys, boolean fenced) {
    String[] locks = names(keys);
    if (!fenced) {
      return locks;
    }
    String[] all = Arrays.copyOf(locks, 2 * locks.length);
    for (int i = 0; i < locks.length; i++) {
      all[locks.length + i] = topology.fence(locks[i]);
    }
    return all;
  }

  private String[] names(LockKeys keys) {
    String[] names = keys.asList().toArray(new String[0]);
    if (!prefix.isEmpty()) {
      Arrays.setAll(names, i -> prefix + names[i]);
    }
    return names;
  }

  /** The milliseconds as text; cached, as most locks have the same ttl. */
  private static String millis(Duration duration) {
    Millis last = lastMillis;
    if (!last.duration.equals(duration)) {
      last = new Millis(duration, Long.toString(duration.toMillis()));
      lastMillis = last;
    }
    return last.text;
  }

  private record Millis(Duration duration, String text) {}

  private static String flag(boolean on) {
    return on ? "1" : "0";
  }
}
