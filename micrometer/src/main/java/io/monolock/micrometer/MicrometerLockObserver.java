// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.monolock.LockLostException;
import io.monolock.LockObserver;
import io.monolock.LockStoreException;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Counts and times what happens to the locks of one locker, and observes them if wanted.
 *
 * <pre>{@code
 * ReactiveLocker locker =
 *     ReactiveLocker.builder(store).observer(MicrometerLockObserver.create(registry)).build();
 * }</pre>
 *
 * <p>The meters are those of {@link LockMeterDocumentation}. No key is in any tag: with {@link
 * Builder#keyGroup} the meters distinguish groups of keys. With {@link Builder#observations} each
 * acquisition and each lock is an observation of {@link LockObservationDocumentation}; its parent
 * is the one in the Reactor Context of the subscriber.
 *
 * <p>An observer belongs to one locker, as it identifies locks by the ids of that locker. The
 * observers of several lockers may share a registry: their numbers add up, unless {@link
 * Builder#tags} distinguish them. A lock that was taken over by {@code attach} was not acquired by
 * this locker, so it counts neither as an acquisition nor as held; its loss and its failed
 * refreshes count.
 */
public final class MicrometerLockObserver implements LockObserver {

  private final KeyGroups groups;
  private final LockObservations observations;
  private final Map<Long, TrackedLock> locks = new ConcurrentHashMap<>();

  private MicrometerLockObserver(KeyGroups groups, LockObservations observations) {
    this.groups = groups;
    this.observations = observations;
  }

  /**
   * An observer with the default settings: one group of keys, no observations.
   *
   * @param registry where the meters are registered
   * @return a new observer
   */
  public static MicrometerLockObserver create(MeterRegistry registry) {
    return builder(registry).build();
  }

  /**
   * Begins the settings of an observer.
   *
   * @param registry where the meters are registered
   * @return a new builder
   */
  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  @Override
  public void asked(long id, Set<String> keys, ContextView context) {
    Observation parent = observations.parent(context);
    locks.put(id, new TrackedLock(groups.of(keys), observations, keys, parent));
  }

  @Override
  public void waiting(long id, Set<String> keys) {
    TrackedLock lock = locks.get(id);
    if (lock != null) {
      lock.waiting();
    }
  }

  @Override
  public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
    TrackedLock lock = locks.get(id);
    if (lock != null) {
      lock.acquired(waited);
    }
  }

  @Override
  public void notAcquired(
      long id, Set<String> keys, Duration waited, int attempts, Throwable reason) {
    TrackedLock lock = locks.remove(id);
    if (lock != null) {
      lock.notAcquired(waited, reason);
    }
  }

  @Override
  public void refreshFailed(long id, Set<String> keys, Throwable reason) {
    TrackedLock lock = locks.get(id);
    meters(lock, keys)
        .refreshFailed(
            reason instanceof LockStoreException trouble
                ? trouble.reason()
                : StoreProblem.Reason.UNKNOWN_OUTCOME);
    if (lock != null) {
      lock.refreshFailed();
    }
  }

  @Override
  public void lost(long id, Set<String> keys, LockLostException.Reason reason) {
    TrackedLock lock = locks.remove(id);
    meters(lock, keys).lost(reason);
    if (lock != null) {
      lock.lost(reason);
    }
  }

  @Override
  public void released(long id, Set<String> keys, Duration held, boolean wasOurs) {
    TrackedLock lock = locks.remove(id);
    if (lock != null) {
      lock.released(held, wasOurs);
    }
  }

  @Override
  public void abandoned(long id, Set<String> keys) {
    meters(locks.get(id), keys).abandoned();
  }

  private GroupMeters meters(@Nullable TrackedLock lock, Set<String> keys) {
    return lock != null ? lock.meters : groups.of(keys);
  }

  /** How many acquisitions and locks have not ended yet. */
  int size() {
    return locks.size();
  }

  /** Collects the settings of a {@link MicrometerLockObserver}. Not safe for several threads. */
  public static final class Builder {

    private static final int MOST_GROUPS = 100;
    private static final int MOST_GROUPS_EVER = 10_000;

    private final MeterRegistry registry;
    private final Map<LockObservationDocumentation, LockObservationConvention> conventions =
        new EnumMap<>(LockObservationDocumentation.class);
    private @Nullable Function<? super Set<String>, ? extends @Nullable String> keyGroup;
    private int maxGroups = MOST_GROUPS;
    private Tags tags = Tags.empty();
    private boolean histograms;
    private ObservationRegistry observations = ObservationRegistry.NOOP;
    private boolean showKeys;

    private Builder(MeterRegistry registry) {
      this.registry = Objects.requireNonNull(registry, "registry");
    }

    /**
     * Groups keys by the value of the tag {@code key.group}: {@code "order"} for {@code
     * "order:42"}. Default: all keys are in one group, {@code all}.
     *
     * <p>The function is called once for each acquisition, on the observer's thread, and must not
     * block. Where it throws or gives nothing, the group is {@code unknown}, and one warning is
     * logged.
     *
     * @param keyGroup gives the group of the keys of a lock, of which there should be few
     * @return this
     */
    public Builder keyGroup(Function<? super Set<String>, ? extends @Nullable String> keyGroup) {
      this.keyGroup = Objects.requireNonNull(keyGroup, "keyGroup");
      return this;
    }

    /**
     * The largest number of groups; any further one is {@code other}, with one warning. Default
     * 100, so that a mistake in the function does not flood the registry; 1 to 10,000.
     *
     * @param most the number of groups
     * @return this
     * @throws IllegalArgumentException when it is out of range
     */
    public Builder maxGroups(int most) {
      if (most < 1 || most > MOST_GROUPS_EVER) {
        throw new IllegalArgumentException(
            "maxGroups must be between 1 and " + MOST_GROUPS_EVER + ", was " + most);
      }
      this.maxGroups = most;
      return this;
    }

    /**
     * Tags of all meters, to distinguish the lockers of one registry. Each of them needs the same
     * tag keys. Default: none.
     *
     * @param tags the tags
     * @return this
     */
    public Builder tags(Iterable<Tag> tags) {
      this.tags = Tags.of(tags);
      return this;
    }

    /**
     * Whether timers publish histograms to registries that compute quantiles from them, as
     * Prometheus does: about 400 series for each group, against 45 without. Default false. Meter
     * filters may decide otherwise.
     *
     * @param on whether they do
     * @return this
     */
    public Builder histograms(boolean on) {
      this.histograms = on;
      return this;
    }

    /**
     * Observes each acquisition and each lock. Default: no observations.
     *
     * @param registry where the observations are made
     * @return this
     */
    public Builder observations(ObservationRegistry registry) {
      this.observations = Objects.requireNonNull(registry, "registry");
      return this;
    }

    /**
     * Other names and key values for one of the observations. Default: the convention that the
     * registry has for it, else the defaults of {@link LockObservationConvention}.
     *
     * @param convention the convention
     * @return this
     */
    public Builder convention(LockObservationConvention convention) {
      conventions.put(convention.observation(), convention);
      return this;
    }

    /**
     * Whether observations show the keys, as a key value of high cardinality. Meters never do. The
     * messages of errors name the keys in any case. Default false.
     *
     * @param on whether they do
     * @return this
     */
    public Builder showKeys(boolean on) {
      this.showKeys = on;
      return this;
    }

    /**
     * Builds the observer. Without groups its meters are registered now, else with the first lock
     * of each group.
     *
     * @return a new observer, for one locker
     */
    public MicrometerLockObserver build() {
      Tags common = tags;
      boolean withHistograms = histograms;
      KeyGroups groups =
          new KeyGroups(
              keyGroup != null ? keyGroup : keys -> KeyGroups.ALL,
              maxGroups,
              group -> new GroupMeters(registry, common, group, withHistograms));
      if (keyGroup == null) {
        groups.of(Set.of());
      }
      return new MicrometerLockObserver(
          groups, new LockObservations(observations, conventions, showKeys));
    }
  }
}
