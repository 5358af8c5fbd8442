// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.store.StoreProblem.Reason.MISUSE;
import static io.monolock.store.StoreProblem.Reason.UNAVAILABLE;
import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

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
import java.util.function.Function;
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
 * QuorumLockStore store = QuorumLockStore.create(members, Duration.ofMinutes(10));
 * ReactiveLocker locker = ReactiveLocker.create(store);
 * }</pre>
 *
 * <p>The members must not be replicas of each other, nor share anything that could fail for several
 * of them at once. A member may have replicas that take over, as behind Sentinels; a cluster is
 * refused, and so is one that waits for replicas itself. Creating a store sends nothing and never
 * blocks.
 *
 * <h2>What holds</h2>
 *
 * <p>Two handles of a key are both valid only if a majority of the members has forgotten locks
 * within one {@code largestTtl}: was restarted, emptied, or replaced by a replica. Or if members
 * have forgotten without noticing it: as the clock of a member jumped ahead, which ends its keys
 * early and makes it look older than it is, or as it evicted keys ({@code maxmemory-policy} must be
 * {@code noeviction}). Or after {@link #forceRelease}. Clocks may run 1 % too fast or too slow.
 *
 * <p>{@code largestTtl} is the longest time for which any process keeps a lock in these members
 * without prolonging it. It has no default, as no process knows the others. A longer ttl, {@code
 * holdAtLeast} or extension fails as {@code MISUSE}.
 *
 * <h2>Each call</h2>
 *
 * <p>All members are asked at once, each with a time limit of its own ({@link
 * Builder#memberTimeout}), and the call ends as soon as the answer is certain. If too few members
 * answer, it fails with a {@link StoreFailure} that says how many did, with the causes; transient
 * unless too many members fail for good.
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
 * <h2>Members that forget</h2>
 *
 * <p>A member that was restarted, with or without its data, or emptied is given locks, but does not
 * help to grant them until it has forgotten nothing for one {@code largestTtl} and 2 % more,
 * counted from its first grant since then. So a quorum of new members grants nothing for one {@code
 * largestTtl} after it was first asked; {@link #declareNew} spares that wait.
 *
 * <h2>Fencing numbers</h2>
 *
 * <p>The number of a lock is the highest that its majority gave, and a majority stores it before
 * the lock is granted. So numbers strictly increase whatever minority is down. A member that was
 * emptied goes on from its clock; then they increase as long as no majority was emptied before a
 * later fenced acquisition, or the clocks differ by less than the time between two grants.
 *
 * <p>All calls of a token at a member are made one after the other, so that an extension behind an
 * acquisition that a member leaves unanswered can come too late there for a short ttl. Two members
 * on the same server fail each acquisition with reason {@code MISUSE}, once both have granted.
 */
public final class QuorumLockStore implements LockStore {

  private static final int FEWEST = 3;
  private static final String NOT_MADE =
      "earlier attempts with the same token took so long that this one was not made any more";
  private static final StoreHealth UNKNOWN = new StoreHealth("member", Optional.empty());

  private final Quorum quorum;
  private final QuorumSettings settings;
  private final MemberEligibility eligibility;
  private final QuorumWakeUps wakeUps;
  private final QuorumLease.Registry leases;
  private final QuorumReads reads;
  private volatile boolean closed;

  private QuorumLockStore(Builder builder) {
    this.settings =
        new QuorumSettings(
            builder.timer,
            builder.memberTimeout,
            builder.largestTtl,
            builder.restartedMembersVoteAtOnce,
            builder.random);
    List<Member> members = new ArrayList<>();
    for (LockStore store : builder.stores) {
      members.add(new Member(store, members.size() + 1, settings));
    }
    this.quorum = new Quorum(List.copyOf(members), settings);
    this.eligibility = new MemberEligibility(settings);
    this.wakeUps = new QuorumWakeUps(quorum);
    this.leases = new QuorumLease.Registry(quorum);
    this.reads = new QuorumReads(quorum);
  }

  /**
   * A store over these members.
   *
   * @param members an odd number of stores, at least three, each of another server; the new store
   *     closes them
   * @param largestTtl the longest time for which any process keeps a lock in these members without
   *     prolonging it, by its ttl or {@code holdAtLeast}: 1 ms to 365 days, the same in all
   *     processes
   * @return a new store
   * @throws IllegalArgumentException when there are fewer than three members or an even number,
   *     when one is given twice or cannot be a member, or when the time is out of range
   */
  public static QuorumLockStore create(List<? extends LockStore> members, Duration largestTtl) {
    return builder(members, largestTtl).build();
  }

  /**
   * Begins a store that differs from the default.
   *
   * @param members as for {@link #create}
   * @param largestTtl as for {@link #create}
   * @return a builder
   * @throws IllegalArgumentException as {@link #create} does
   */
  public static Builder builder(List<? extends LockStore> members, Duration largestTtl) {
    return new Builder(members, largestTtl);
  }

  /**
   * Makes a new quorum usable at once, by all processes. To be called once, by the one who sets it
   * up, while no process holds a lock in it, or the lock may be granted a second time. It fails
   * with {@link StoreFailure} unless all members confirm it in time; those that did vote all the
   * same.
   *
   * @return completes when all members have confirmed it
   */
  @Override
  public Mono<Void> declareNew() {
    return open(
        () ->
            new Broadcast<Boolean>(quorum, member -> member.store.declareNew().thenReturn(true))
                .ask(one -> one.pending() > 0 ? null : Flux.fromIterable(one.failures()).next())
                .flatMap(Mono::<Void>error));
  }

  @Override
  public void check(LockKeys keys, boolean fenced) {
    quorum.members().forEach(member -> member.store.check(keys, fenced));
  }

  @Override
  public void check(LockKeys keys, Duration longest, boolean fenced) {
    if (longest.compareTo(settings.largestTtl()) > 0) {
      throw new IllegalArgumentException(tooLong("ttl and holdAtLeast", longest));
    }
    quorum.members().forEach(member -> member.store.check(keys, longest, fenced));
  }

  private String tooLong(String what, Duration time) {
    return "%s must be at most the largestTtl of the quorum, %s, was %s"
        .formatted(what, settings.largestTtl(), time);
  }

  /** The call, unless it would let keys live for too long. */
  private <T> Mono<T> bounded(
      String what, Duration time, String token, Function<QuorumLease, Mono<T>> call) {
    return time.compareTo(settings.largestTtl()) <= 0
        ? open(() -> leases.use(token, call))
        : Mono.error(() -> new StoreFailure(MISUSE, false, tooLong(what, time), null));
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
    QuorumAcquire.Wanted wanted = new QuorumAcquire.Wanted(keys, metadata, ttl, fenced);
    return bounded(
        "ttl",
        ttl,
        token,
        lease ->
            lease.inOrder(
                notAfter(
                    settings.now() + ttl.toNanos(),
                    () -> new QuorumAcquire(quorum, eligibility, wakeUps, lease, wanted).run())));
  }

  /** An attempt whose turn comes when its caller has given up is never made. */
  private Mono<Grant> notAfter(long time, Supplier<Mono<Grant>> attempt) {
    return Mono.defer(
        () ->
            settings.now() - time < 0
                ? attempt.get()
                : Mono.error(new StoreFailure(UNAVAILABLE, true, NOT_MADE, null)));
  }

  /**
   * {@inheritDoc}
   *
   * <p>True when a majority extended the keys. False when no majority has them any more; a minority
   * that still had them has extended them.
   */
  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return bounded("ttl", ttl, token, lease -> new QuorumExtend(quorum, keys, lease, ttl).run());
  }

  /**
   * {@inheritDoc}
   *
   * <p>True when a majority released the keys, at this call or before. Members that do not answer
   * are asked again in the background.
   */
  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return bounded("keepFor", keepFor, token, lease -> release(keys, lease, keepFor));
  }

  /** A release may have happened at a member, or happens there later. */
  private static StoreFailure mayHaveHappened(StoreFailure failure) {
    return failure.isTransient() && !failure.isInDoubt()
        ? new StoreFailure(UNKNOWN_OUTCOME, true, "" + failure.getMessage(), failure)
        : failure;
  }

  private Mono<Boolean> release(LockKeys keys, QuorumLease lease, Duration keepFor) {
    Duration life = settings.largestTtl();
    return new Broadcast<Boolean>(quorum, member -> lease.at(member).request(keys, keepFor))
        .by((call, context) -> lease.at(call.member).release(keys, keepFor, life, context, call))
        .ask(Broadcast::yesOrNo)
        .onErrorMap(StoreFailure.class, QuorumLockStore::mayHaveHappened)
        .doOnNext(any -> lease.all().forEach(MemberLease::decided));
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
            new Broadcast<Boolean>(quorum, member -> member.store.raiseFence(keys, token, number))
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
                    quorum, member -> member.store.health().defaultIfEmpty(UNKNOWN))
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
    quorum.members().forEach(member -> member.store.overdue(timeout));
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
          quorum.members().forEach(member -> member.retries.close());
          return Mono.whenDelayError(
              quorum.members().stream().map(member -> member.store.close()).toList());
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
    return leases.unconfirmed();
  }

  /** How many sets of keys have waiters, and how many tokens have calls under way. */
  int underWay() {
    return wakeUps.size() + leases.busy();
  }

  /** How many tokens there are of which something may be left. */
  int tokens() {
    return leases.size();
  }

  /** Settings of a quorum. */
  public static final class Builder {

    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration SHORTEST_TTL = Duration.ofMillis(1);
    private static final Duration LONGEST_TTL = Duration.ofDays(365);

    private final List<LockStore> stores;
    private Duration memberTimeout = Duration.ofMillis(500);
    private final Duration largestTtl;
    private Scheduler timer = Schedulers.parallel();
    private boolean restartedMembersVoteAtOnce;
    private Supplier<? extends RandomGenerator> random = ThreadLocalRandom::current;

    private Builder(List<? extends LockStore> members, Duration largestTtl) {
      this.largestTtl = within("largestTtl", largestTtl, SHORTEST_TTL, LONGEST_TTL);
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
     * Whether members that are new, or were restarted or emptied, help to grant locks at once. It
     * is safe only for servers that lose nothing: those that store each write before they confirm
     * it ({@code appendfsync always}), and are never emptied.
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
     * @throws IllegalArgumentException if a store cannot be a member, as it is a cluster or does
     *     not tell since when it has forgotten nothing
     */
    public QuorumLockStore build() {
      stores.forEach(LockStore::becomeMember);
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
