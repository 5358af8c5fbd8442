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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Keeps locks in several independent stores, known as Redlock: a lock is held when a majority of
 * them holds it. So it survives the loss of a minority, with what they have kept.
 *
 * <pre>{@code
 * List<RedisLockStore> members =
 *     uris.stream().map(uri -> RedisLockStore.create(client, RedisURI.create(uri))).toList();
 * ReactiveLocker locker = ReactiveLocker.create(QuorumLockStore.of(members));
 * }</pre>
 *
 * <p>The members must not share anything that they could lose together, and must not be copies of
 * each other: stand-alone servers, each on a machine of its own. Creating a store sends nothing and
 * never blocks.
 *
 * <h2>Each call</h2>
 *
 * <p>All members are asked at once, each with a time limit of its own ({@link
 * Builder#memberTimeout}), and the call ends as soon as the answer is certain: a member that is
 * down or silent holds up nobody as long as a majority agrees. If too few members answer, the call
 * fails with a {@link StoreFailure} that says how many did and why the first one did not; the other
 * causes are suppressed in it. It passes unless too many members fail for good.
 *
 * <h2>Acquire, extend, release</h2>
 *
 * <p>An attempt that gets no majority is undone at all members, those that are silent included. It
 * is told to be busy for as long as it takes until enough members become free. Of several who ask
 * at the same time and get some members each, one goes on for some milliseconds.
 *
 * <p>A lock is prolonged when a majority still holds it; it is then written anew at members that
 * came back empty. A release frees a lock if a majority still held it. Members that do not confirm
 * a release are asked again in the background until the keys have ended there by themselves. A
 * transfer is a release and an acquisition.
 *
 * <h2>Members that restart</h2>
 *
 * <p>A member that was restarted or emptied may have forgotten locks that are held. It helps to
 * grant others only when the largest ttl in use has passed since, see {@link Builder#largestTtl}.
 * It knows that by {@link LockStore#incarnation}, which is asked behind each attempt. A new quorum
 * is known by all members being new, and is used at once.
 *
 * <h2>Fencing numbers</h2>
 *
 * <p>The number of a lock is the highest that its majority gave, and a majority keeps it before the
 * lock is given out. So numbers strictly increase whatever minority is down. A member that was
 * emptied goes on from its clock; then numbers increase as long as a majority was not emptied
 * before it took part in a later fenced acquisition, or the clocks of the members agree within the
 * time between two grants.
 *
 * <h2>Not promised</h2>
 *
 * <p>When a majority of the members forget their locks within one ttl, nobody who remembers a lock
 * may be left to say so. The same is true of {@link #forceRelease}, which is meant to do that. Two
 * members that are the same server are only known when they are first asked: then each acquisition
 * fails at once with a failure of reason {@code MISUSE}.
 */
public final class QuorumLockStore implements LockStore {

  private static final int FEWEST = 3;
  private static final StoreHealth UNKNOWN = new StoreHealth("member", Optional.empty());

  private final List<Member> members;
  private final QuorumSettings settings;
  private final LargestTtl largestTtl;
  private final MemberEligibility voters;
  private final QuorumWakeUps hints;
  private final SerialByToken turns = new SerialByToken();
  private final Extensions extensions;
  private final QuorumReads onlooker;
  private volatile boolean closed;

  private QuorumLockStore(Builder builder) {
    this.settings =
        new QuorumSettings(
            builder.timer, builder.memberTimeout, builder.restartedMembersVoteAtOnce);
    List<Member> members = new ArrayList<>();
    for (LockStore store : builder.stores) {
      members.add(new Member(store, members.size() + 1, settings));
    }
    this.members = List.copyOf(members);
    this.largestTtl = new LargestTtl(builder.largestTtl);
    this.voters = new MemberEligibility(this.members, settings, largestTtl);
    this.hints = new QuorumWakeUps(this.members, settings);
    this.extensions = new Extensions(this.members, settings);
    this.onlooker = new QuorumReads(this.members, settings);
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
   * <p>Granted when a majority did so, and something of the ttl is left. Busy when one of a
   * majority that answered was; the remaining time is that until a majority can be had.
   */
  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return open(
        () ->
            largestTtl
                .use(ttl)
                .then(voters.rollCall())
                .then(
                    turns.inTurn(
                        keys,
                        token,
                        Mono.defer(() -> candidacy(keys, token, metadata, ttl, fenced)))));
  }

  private Mono<Grant> candidacy(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    StoreFailure misuse = voters.misuse();
    return misuse != null
        ? Mono.error(misuse)
        : new QuorumAcquire(members, settings, voters, hints, keys, token, metadata, ttl, fenced)
            .run();
  }

  /**
   * {@inheritDoc}
   *
   * <p>True when a majority did so. False when no majority has the keys any more; a minority that
   * still had them has prolonged them.
   */
  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return open(() -> largestTtl.use(ttl).then(extensions.extend(keys, token, ttl)));
  }

  /**
   * {@inheritDoc}
   *
   * <p>True when a majority did so. Others are asked again in the background.
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
    return open(() -> onlooker.remaining(keys, token));
  }

  /**
   * {@inheritDoc}
   *
   * <p>True when a majority keeps the number.
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
   * <p>Empty unless a majority of the members is held. If they are held by several who have not
   * come to an end yet, it is one of them.
   */
  @Override
  public Mono<Holder> inspect(String key) {
    return open(() -> onlooker.inspect(key));
  }

  /**
   * {@inheritDoc}
   *
   * <p>All members are waited for. True when a majority has answered and any of them had the key.
   */
  @Override
  public Mono<Boolean> forceRelease(String key) {
    return open(() -> onlooker.forceRelease(key));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Emits some milliseconds after a member has hinted; of a member that no longer can, the
   * others are heard.
   */
  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return hints.of(keys);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Well when a majority is. Who waits is woken when any of them does that.
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

  private static @Nullable Mono<StoreHealth> health(Broadcast<StoreHealth> round) {
    if (round.answers().size() >= round.majority()) {
      return Mono.just(new StoreHealth("quorum", wakeUps(round.answers().values())));
    }
    return round.pending() == 0 ? Mono.error(round.failure(StoreProblem.Reason.UNAVAILABLE)) : null;
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

  /** How many releases members have not confirmed. */
  int debts() {
    return members.stream().mapToInt(member -> member.debts.size()).sum();
  }

  /** How many sets of keys somebody waits for, tries to take, or extends. */
  int underWay() {
    return hints.size() + extensions.size() + turns.size();
  }

  /** What a quorum goes by. */
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
     * The largest ttl that anybody uses for locks in these members, in whatever process. A member
     * that was restarted or emptied takes part in granting locks when it has passed. Calls with a
     * larger one fail with a {@link StoreFailure} of reason {@code MISUSE}.
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
     * Clock and timer of all limits.
     *
     * @param timer by default {@link Schedulers#parallel()}
     * @return this builder
     */
    public Builder timer(Scheduler timer) {
      this.timer = Objects.requireNonNull(timer, "timer must not be null");
      return this;
    }

    /**
     * Whether members that were restarted or emptied help to grant locks at once, and are not even
     * asked whether they were. Without risk it is only when they lose nothing, as servers that
     * store each write before they confirm it ({@code appendfsync always}) and are never emptied.
     *
     * @param atOnce false by default
     * @return this builder
     */
    public Builder restartedMembersVoteAtOnce(boolean atOnce) {
      this.restartedMembersVoteAtOnce = atOnce;
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
