// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
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
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Keeps locks in Redis: version 6.2 or newer, Valkey, or what speaks like them.
 *
 * <p>Creating a store sends nothing and never blocks. Its connections are opened on first use,
 * shared by all calls, and opened anew after they were lost. They are the store's own, so that
 * locks never queue behind the other traffic of an application; the client stays the caller's, who
 * shuts it down after the locker is closed.
 *
 * <h2>Two connections</h2>
 *
 * <p>All goes over one connection, except the attempts of those who wait for what somebody else
 * holds: they go over a second one, which is opened when there is somebody to wait. There, Redis
 * tracks what it reads, and pushes a message when such a key is released, ends, is deleted or
 * overwritten, by whomever. So nothing is pushed to those who do not wait, and a crowd that waits
 * holds up no release.
 *
 * <p>It takes RESP3, which Lettuce speaks unless it is told otherwise, and the command {@code
 * CLIENT TRACKING}. Where either is missing, a warning in the log says so once, and those who wait
 * only try again by themselves, as they also do while the second connection is down.
 *
 * <h2>What is in Redis</h2>
 *
 * <p>Each key of a lock holds a string, the token followed by the metadata, and has a time to live:
 * what {@code SET key token NX PX ttl} writes. Whoever keeps to that, in whatever language,
 * excludes and is excluded by this store on the same keys. A key whose value does not start with
 * the token belongs to somebody else and is never touched, except by {@link #forceRelease}.
 *
 * <p>For a fenced lock, the key with the suffix {@code :fence} holds the last fencing number, a
 * blank, and the token that it was issued to; it lives for 24 hours. The number is the server's
 * time in microseconds or one more than the last number, whichever is higher.
 *
 * <p>A member of a quorum keeps in the key {@code monolock:beginning} since when it has forgotten
 * nothing, for a year from the last time it was asked.
 *
 * <h2>What it asks of Redis</h2>
 *
 * <p>Each call is one script. A user of Redis needs access to the keys and their fence keys, and to
 * the commands {@code EVALSHA}, {@code EVAL}, {@code SET}, {@code SETRANGE}, {@code GETEX}, {@code
 * PTTL}, {@code PEXPIRE}, {@code DEL} and {@code TIME}; {@link #inspect} also needs {@code TYPE}
 * and {@code GETRANGE}, {@link #wakeUps} the subcommand {@code CLIENT|TRACKING}, and {@link
 * #incarnation} {@code INFO}. {@code HELLO} is allowed to everybody.
 *
 * <p>Calls fail with {@link io.monolock.store.StoreFailure} only. Their signals may come in threads
 * of Lettuce, which must not be blocked. A call that was sent takes effect even if it is cancelled.
 */
public final class RedisLockStore implements LockStore {

  private static final LuaScript ACQUIRE = LuaScript.load("acquire");
  private static final LuaScript EXTEND = LuaScript.load("extend");
  private static final LuaScript RELEASE = LuaScript.load("release");
  private static final LuaScript REMAINING = LuaScript.load("remaining");
  private static final LuaScript TRANSFER = LuaScript.load("transfer");
  private static final LuaScript RAISE_FENCE = LuaScript.load("raise_fence");
  private static final LuaScript INSPECT = LuaScript.load("inspect");
  private static final LuaScript INCARNATION = LuaScript.load("incarnation");
  private static final LuaScript FORCE_RELEASE = LuaScript.load("force_release");

  private static final String BEGINNING = "monolock:beginning";
  private static final String MOST_SHOWN = String.valueOf(TOKEN_LENGTH + 64 * 1_024);
  private static final Pattern LOCK =
      Pattern.compile("[A-Za-z0-9_-]{" + TOKEN_LENGTH + "}(.*)", Pattern.DOTALL);

  private static volatile Millis lastMillis = new Millis(Duration.ZERO, "0");

  private final WakeUps wakeUps;
  private final Servers servers;

  private RedisLockStore(Function<WakeUps, Servers> servers) {
    this.wakeUps = new WakeUps();
    this.servers = servers.apply(wakeUps);
  }

  private static RedisLockStore alone(
      Supplier<CompletionStage<StatefulRedisConnection<String, String>>> opener) {
    return new RedisLockStore(wakeUps -> new Server(opener, wakeUps));
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
    Objects.requireNonNull(client, "client must not be null");
    return alone(
        () ->
            Mono.fromCallable(() -> client.connect(StringCodec.UTF8))
                .subscribeOn(Schedulers.boundedElastic())
                .toFuture());
  }

  /**
   * A store on the server that the URI names.
   *
   * @param client a client, with or without a {@link RedisURI} of its own
   * @param uri the server, or the Sentinels that know it; its timeout bounds the opening of a
   *     connection, not the calls
   * @return a new store
   */
  public static RedisLockStore create(RedisClient client, RedisURI uri) {
    Objects.requireNonNull(client, "client must not be null");
    Objects.requireNonNull(uri, "uri must not be null");
    return alone(() -> client.connectAsync(StringCodec.UTF8, uri));
  }

  /**
   * A store on a cluster.
   *
   * <p>Keys that are locked together must be in one hash slot. Each master gets connections as a
   * lone server does, when it is first needed, with the settings and the threads of the client;
   * from the client itself come only the first view of the cluster, and another one whenever no
   * known server has one. Calls follow a slot that moves, and the view is renewed as soon as a
   * server answers that it is out of date, or not at all; the client's own refresh need not be on.
   *
   * @param client a client that was created with the {@link RedisURI} of some of the servers
   * @return a new store
   */
  public static RedisLockStore create(RedisClusterClient client) {
    Objects.requireNonNull(client, "client must not be null");
    return new RedisLockStore(wakeUps -> new Cluster(client, wakeUps));
  }

  @Override
  public void check(LockKeys keys, boolean fenced) {
    servers.check(keys, fenced);
  }

  /**
   * {@inheritDoc}
   *
   * <p>While somebody is subscribed to {@link #wakeUps} of the keys, the attempt goes over the
   * connection for those who wait, unless that is still being opened.
   */
  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    boolean waiting = wakeUps.areAwaited(keys) && servers.openWait(first(keys));
    return integer(
        servers.route(first(keys), waiting),
        ACQUIRE,
        names(keys, fenced),
        answer -> grant(answer, fenced),
        waiting || fenced
            ? new String[] {token, metadata, millis(ttl), flag(fenced), flag(waiting)}
            : new String[] {token, metadata, millis(ttl)});
  }

  /** Any of them: all are on one server. */
  private static String first(LockKeys keys) {
    return keys.asList().get(0);
  }

  private Route work(LockKeys keys) {
    return servers.route(first(keys), false);
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
   * Hands the keys over in one step if the first token holds them all, and else answers what an
   * acquisition by the second token does.
   */
  @Override
  public Mono<Transfer> transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    return integer(
            work(keys),
            TRANSFER,
            names(keys, fenced),
            Function.identity(),
            from,
            to,
            metadata,
            millis(ttl),
            flag(fenced))
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
    return new Call<List<Object>, Holder>(
        servers.route(key, false),
        INSPECT,
        ScriptOutputType.MULTI,
        new String[] {key},
        new String[] {MOST_SHOWN},
        answer -> holder(key, answer));
  }

  /**
   * {@inheritDoc}
   *
   * <p>A server has begun anew when it was restarted, even if it has loaded its data, as it may
   * have lost the last of them; and when it was emptied. It counts from when it is first asked.
   */
  @Override
  public Mono<Incarnation> incarnation() {
    return new Call<List<Object>, Incarnation>(
        servers.route(BEGINNING, false),
        INCARNATION,
        ScriptOutputType.MULTI,
        new String[] {BEGINNING},
        new String[0],
        RedisLockStore::incarnation);
  }

  private static Incarnation incarnation(List<Object> answer) {
    String server = (String) answer.get(0);
    return new Incarnation(
        server, server + " " + answer.get(1), Duration.ofMillis((Long) answer.get(2)));
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return integer(
        servers.route(key, false), FORCE_RELEASE, new String[] {key}, RedisLockStore::isDone);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Emits whenever Redis says that one of the keys has changed since the last attempt over the
   * connection for those who wait, and once upon the subscription and each time that this
   * connection has been opened. It may emit in a thread of Lettuce.
   */
  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return wakeUps.of(keys, () -> servers.openWait(first(keys)));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Sends a {@code PING}, which a user of Redis needs to be allowed for this only.
   */
  @Override
  public Mono<StoreHealth> health() {
    return servers.health();
  }

  @Override
  public void overdue(Duration patience) {
    servers.overdue(patience);
  }

  @Override
  public Mono<Void> close() {
    return servers.close();
  }

  private static <T> Mono<T> integer(
      Route route,
      LuaScript script,
      String[] keys,
      Function<? super Long, ? extends T> meaning,
      String... args) {
    return new Call<>(route, script, ScriptOutputType.INTEGER, keys, args, meaning);
  }

  private static boolean isDone(long answer) {
    return answer == 1;
  }

  private static Grant grant(long answer, boolean fenced) {
    if (answer > 0) {
      return granted(answer % 2 == 0, answer / 2, fenced);
    }
    return new Grant.Busy(
        answer == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(-1 - answer)));
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
    if (answer.size() > 1) {
      Matcher lock = LOCK.matcher((String) answer.get(1));
      metadata = lock.matches() ? Optional.of(lock.group(1)) : Optional.empty();
    }
    Optional<Duration> remaining =
        pttl < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(pttl));
    return new Holder(key, metadata, remaining);
  }

  private String[] names(LockKeys keys, boolean fenced) {
    return fenced ? FenceKeys.withFences(keys, servers::fence) : names(keys);
  }

  private static String[] names(LockKeys keys) {
    return keys.asList().toArray(new String[0]);
  }

  /** As text, which most calls share, as most locks live equally long. */
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
