// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreHealth;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Keeps locks in several independent stores, as Redlock does: a lock is held when a majority of
 * them holds it. So it survives the loss of a minority and of their data.
 *
 * <pre>{@code
 * List<RedisLockStore> members =
 *     uris.stream().map(uri -> RedisLockStore.create(client, RedisURI.create(uri))).toList();
 * ReactiveLocker locker = ReactiveLocker.create(QuorumLockStore.of(members));
 * }</pre>
 *
 * <p>The members must not share anything that could fail for several of them at once, and must not
 * be replicas of each other: stand-alone servers, each on a machine of its own. Creating a store
 * sends nothing and never blocks.
 *
 * <h2>Each call</h2>
 *
 * <p>All members are asked at once, each with a time limit of its own ({@link
 * Builder#memberTimeout}), and the call ends as soon as the answer is certain: a member that is
 * down or silent delays no call on which a majority agrees. If too few members answer, the call
 * fails with a {@link StoreFailure} that says how many did and why the first one did not; the other
 * causes are suppressed in it. The failure is transient unless too many members fail for good.
 *
 * <h2>Acquire, extend, release</h2>
 *
 * <p>An attempt that gets no majority is undone at all members, silent ones included. Its answer is
 * busy, until enough members become free. Of several attempts that get some members each at the
 * same time, one goes on for some milliseconds.
 *
 * <p>A lock is extended when a majority still holds it; it is then written again at members that
 * restarted empty. A release frees a lock if a majority still held it. Members that do not confirm
 * a release are asked again in the background until the keys have expired there. A transfer is a
 * release and an acquisition.
 *
 * <h2>Members that restart</h2>
 *
 * <p>A member that was restarted or emptied may have forgotten locks that are held. It helps to
 * grant others only when the largest ttl in use has passed since, see {@link Builder#largestTtl}.
 * That is known from {@link LockStore#incarnation}, which is asked behind each attempt. A quorum
 * whose members are all new is used at once.
 *
 * <h2>Fencing numbers</h2>
 *
 * <p>The number of a lock is the highest that its majority gave, and a majority stores it before
 * the lock is granted. So numbers strictly increase whatever minority is down. A member that was
 * emptied goes on from its clock; then numbers increase as long as no majority was emptied before
 * taking part in a later fenced acquisition, or the clocks of the members differ by less than the
 * time between two grants.
 *
 * <h2>Not promised</h2>
 *
 * <p>When a majority of the members forget their locks within one ttl, a lock that is held may be
 * granted again; so it may after {@link #forceRelease}, whose purpose that is. That two members are
 * the same server is only found out when they are first asked: then each acquisition fails at once
 * with a failure of reason {@code MISUSE}.
 */
public final class QuorumLockStore implements LockStore {

  private static final int FEWEST = 3;
  private static final StoreHealth UNKNOWN = new StoreHealth("member", Optional.empty());

  private final List<Member> members;
  private final QuorumSettings settings;
  private final LargestTtl largestTtl;
  private final MemberEligibility eligibility;
  private final QuorumWakeUps wakeUps;
  private final SerialByToken serial = new SerialByToken();
  private final Extensions extensions;
  private final QuorumReads reads;
  private volatile boolean closed;

  private QuorumLockStore(Builder builder) {
    this.settings =
        new QuorumSettings(
            builder.timer,
            builder.memberTimeout,
            builder.restartedMembersVoteAtOnce,
            builder.random);
    List<Member> members = new ArrayList<>();
    for (LockStore store : builder.stores) {
      members.add(new Member(store, members.size() + 1, settings));
    }
    this.members = List.copyOf(members);
    this.largestTtl = new LargestTtl(builder.largestTtl);
    this.eligibility = new MemberEligibility(this.members, settings, largestTtl);
    this.wakeUps = new QuorumWakeUps(this.members, settings);
    this.extensions = new Extensions(this.members, settings);
    this.reads = new QuorumReads(this.members, settings);
  }

  /**
   * A store over these members.
   *
   * @param members an odd number of stores, at least three, each of another server; the new store
   *     closes them
   * @return a new store
   * @throws IllegalArgumentException when there are fewer than three members or an even number, or
   *     when one is given twice
   */
  public static QuorumLockStore of(List<? extends LockStore> members) {
    return builder(members).build();
  }

  /**
   * Begins a store that differs from the default.
   *
   * @param members as for {@link #of}
   * @return a builder
   * @throws IllegalArgumentException as {@link #of} does
   */
  public static Builder builder(List<? extends LockStore> members) {
    return new Builder(members);
  }

  @Override
  public void check(LockKeys keys, boolean fenced) {
    members.forEach(member -> member.store.check(keys, fenced));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Granted when a majority granted, and something of the ttl is left. Busy when a majority
   * answered and one of them was busy; the remaining time is that until a majority can be free.
   */
  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return open(
        () ->
            largestTtl
                .use(ttl)
                .then(eligibility.askAll())
                .then(
                    serial.inOrder(
                        keys,
                        token,
                        Mono.defer(() -> attempt(keys, token, metadata, ttl, fenced)))));
  }

  private Mono<Grant> attempt(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    StoreFailure misuse = eligibility.misuse();
    return misuse != null
        ? Mono.error(misuse)
        : new QuorumAcquire(
                members, settings, eligibility, wakeUps, keys, token, metadata, ttl, fenced)
            .run();
  }

  /**
   * {@inheritDoc}
   *
   * <p>True when a majority extended the keys. False when no majority has them any more; a minority
   * that still had them has extended them.
   */
  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return open(() -> largestTtl.use(ttl).then(extensions.extend(keys, token, ttl)));
  }

  /**
   * {@inheritDoc}
   *
   * <p>True when a majority released the keys. Members that do not answer are asked again in the
   * background.
   */
  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return open(
        () -> {
          extensions.end(keys, token);
          return new QuorumRelease(members, settings, keys, token, keepFor, largestTtl.orLonger())
              .run();
        });
  }

  /**
   * {@inheritDoc}
   *
   * <p>It is the time for which a majority still has the keys.
   */
  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return open(() -> reads.remaining(keys, token));
  }

  /**
   * {@inheritDoc}
   *
   * <p>True when a majority stores the number.
   */
  @Override
  public Mono<Boolean> raiseFence(LockKeys keys, String token, long number) {
    return open(
        () ->
            new Broadcast<Boolean>(
                    members,
                    settings,
                    member -> member.store.raiseFence(keys, token, number),
                    settings.memberTimeout())
                .ask(Broadcast::yesOrNo));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Empty unless the key is held at a majority of the members. If different attempts have it
   * there for the moment, it is one of them.
   */
  @Override
  public Mono<Holder> inspect(String key) {
    return open(() -> reads.inspect(key));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Waits for all members. True when a majority has answered and any of them had the key.
   */
  @Override
  public Mono<Boolean> forceRelease(String key) {
    return open(() -> reads.forceRelease(key));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Emits some milliseconds after a member has; when the wake-ups of a member fail, those of the
   * others go on.
   */
  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return wakeUps.of(keys);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Healthy when a majority is. Waiters are woken if any member wakes them.
   */
  @Override
  public Mono<StoreHealth> health() {
    return open(
        () ->
            new Broadcast<StoreHealth>(
                    members,
                    settings,
                    member -> member.store.health().defaultIfEmpty(UNKNOWN),
                    settings.memberTimeout())
                .ask(QuorumLockStore::health));
  }

  private static @Nullable Mono<StoreHealth> health(Broadcast<StoreHealth> broadcast) {
    if (broadcast.answers().size() >= broadcast.majority()) {
      return Mono.just(new StoreHealth("quorum", wakeUps(broadcast.answers().values())));
    }
    return broadcast.pending() == 0
        ? Mono.error(broadcast.failure(StoreProblem.Reason.UNAVAILABLE))
        : null;
  }

  private static Optional<Boolean> wakeUps(Collection<StoreHealth> members) {
    return members.stream().flatMap(member -> member.wakeUps().stream()).reduce(Boolean::logicalOr);
  }

  @Override
  public void overdue(Duration timeout) {
    members.forEach(member -> member.store.overdue(timeout));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Closes all members. Releases that members have not confirmed yet are not repeated any more.
   */
  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          closed = true;
          members.forEach(member -> member.debts.close());
          return Mono.whenDelayError(members.stream().map(member -> member.store.close()).toList());
        });
  }

  private <T> Mono<T> open(Supplier<Mono<T>> call) {
    return Mono.defer(
        () ->
            closed
                ? Mono.error(
                    new StoreFailure(
                        StoreProblem.Reason.UNAVAILABLE, false, "The store is closed", null))
                : call.get());
  }

  /** How many releases are not confirmed by a member. */
  int unconfirmedReleases() {
    return members.stream().mapToInt(member -> member.debts.size()).sum();
  }

  /** How many sets of keys have waiters, attempts or extensions. */
  int underWay() {
    return wakeUps.size() + extensions.size() + serial.size();
  }

  /** Settings of a quorum. */
  public static final class Builder {

    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration SHORTEST_TTL = Duration.ofMillis(1);
    private static final Duration LONGEST_TTL = Duration.ofDays(365);

    private final List<LockStore> stores;
    private Duration memberTimeout = Duration.ofMillis(500);
    private @Nullable Duration largestTtl;
    private Scheduler timer = Schedulers.parallel();
    private boolean restartedMembersVoteAtOnce;
    private Supplier<? extends RandomGenerator> random = ThreadLocalRandom::current;

    private Builder(List<? extends LockStore> members) {
      List<LockStore> stores = new ArrayList<>();
      Set<LockStore> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
      for (LockStore member : members) {
        stores.add(Objects.requireNonNull(member, "a member of a quorum must not be null"));
        if (!distinct.add(member)) {
          throw new IllegalArgumentException(
              "the members of a quorum must be different, but number "
                  + stores.size()
                  + " is there twice");
        }
      }
      if (stores.size() < FEWEST || stores.size() % 2 == 0) {
        throw new IllegalArgumentException(
            "a quorum needs an odd number of members, at least "
                + FEWEST
                + ", was given "
                + stores.size());
      }
      this.stores = List.copyOf(stores);
    }

    /**
     * How long a member may take to answer a call, after which it counts as down for this call.
     * Calls on which a majority agrees do not wait that long.
     *
     * @param timeout 1 ms to 1 minute, by default 500 ms; small against the ttl's, long against the
     *     way to a member and back, and less than a third of the locker's time for a command
     * @return this builder
     */
    public Builder memberTimeout(Duration timeout) {
      this.memberTimeout = within("memberTimeout", timeout, SHORTEST_TIMEOUT, LONGEST_TIMEOUT);
      return this;
    }

    /**
     * The largest ttl in use for locks in these members, in any process. A member that was
     * restarted or emptied helps to grant locks again after that time. Calls with a larger ttl fail
     * with a {@link StoreFailure} of reason {@code MISUSE}.
     *
     * @param ttl 1 ms to 365 days; by default it is the largest ttl that this very store has been
     *     asked for so far, which is enough if all processes use the same ones
     * @return this builder
     */
    public Builder largestTtl(Duration ttl) {
      this.largestTtl = within("largestTtl", ttl, SHORTEST_TTL, LONGEST_TTL);
      return this;
    }

    /**
     * Clock and timer of all time limits.
     *
     * @param timer by default {@link Schedulers#parallel()}
     * @return this builder
     */
    public Builder timer(Scheduler timer) {
      this.timer = Objects.requireNonNull(timer, "timer must not be null");
      return this;
    }

    /**
     * Whether members that were restarted or emptied help to grant locks at once; they are not even
     * asked for their incarnation. It is safe only for servers that lose nothing: those that store
     * each write before they confirm it ({@code appendfsync always}), and are never emptied.
     *
     * @param atOnce false by default
     * @return this builder
     */
    public Builder restartedMembersVoteAtOnce(boolean atOnce) {
      this.restartedMembersVoteAtOnce = atOnce;
      return this;
    }

    /** Where delays are drawn from, so that every step of a quorum can be repeated. */
    Builder random(RandomGenerator generator) {
      this.random = () -> generator;
      return this;
    }

    /**
     * A new store with these settings. Sends nothing.
     *
     * @return the store
     */
    public QuorumLockStore build() {
      return new QuorumLockStore(this);
    }

    private static Duration within(String name, Duration value, Duration least, Duration most) {
      if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
        throw new IllegalArgumentException(
            name + " must be between " + least + " and " + most + ", was " + value);
      }
      return value;
    }
  }
}
