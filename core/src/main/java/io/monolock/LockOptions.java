// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.store.LockStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.util.retry.Retry;

/**
 * How a lock is waited for, held and freed. Immutable, and meant to be kept and reused as a
 * template: every method with an argument returns a new instance.
 *
 * <p>All durations are rounded up to whole milliseconds. What breaks a rule is an {@link
 * IllegalArgumentException} that names the rule and the value.
 */
public final class LockOptions {

  private static final Duration SHORTEST_TTL = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final Pattern TOKEN =
      Pattern.compile("[A-Za-z0-9_-]{" + LockStore.TOKEN_LENGTH + "}");
  private static final int MAX_METADATA_BYTES = 64 * 1_024;
  private static final Retry DEFAULT_RETRY =
      Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(50))
          .maxBackoff(Duration.ofSeconds(1))
          .jitter(0.5);

  private final Duration ttl;
  private final Retry retry;
  private final Duration waitAtMost;
  private final boolean autoRefresh;
  private final Duration maxHold;
  private final boolean fenced;
  private final String metadata;
  private final @Nullable String token;
  private final Duration holdAtLeast;
  private final boolean finishOnCancel;

  private LockOptions(Draft draft) {
    if (draft.retry == null) {
      throw new IllegalArgumentException("retry must be a Retry spec, was null");
    }
    this.ttl = duration("ttl", draft.ttl, SHORTEST_TTL);
    this.retry = draft.retry;
    this.waitAtMost = duration("waitAtMost", draft.waitAtMost, Duration.ZERO);
    this.autoRefresh = draft.autoRefresh;
    this.maxHold = duration("maxHold", draft.maxHold, SHORTEST_TTL);
    this.fenced = draft.fenced;
    this.metadata = checkedMetadata(draft.metadata);
    this.token = draft.token == null ? null : checkedToken(draft.token);
    this.holdAtLeast = duration("holdAtLeast", draft.holdAtLeast, Duration.ZERO);
    this.finishOnCancel = draft.finishOnCancel;
  }

  /** A copy that differs in what the change says, checked as a whole. */
  private LockOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new LockOptions(draft);
  }

  /** The value in whole milliseconds, rounded up. */
  private static Duration duration(String name, @Nullable Duration value, Duration least) {
    if (value == null || value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "%s must be between %d ms and %d days, was %s"
              .formatted(name, least.toMillis(), LONGEST.toDays(), value));
    }
    Duration whole = value.truncatedTo(ChronoUnit.MILLIS);
    return whole.equals(value) ? value : whole.plusMillis(1);
  }

  /** A token is a secret, so the message contains its length only. */
  private static String checkedToken(String token) {
    if (token == null || !TOKEN.matcher(token).matches()) {
      throw new IllegalArgumentException(
          "token must be exactly 22 characters of [A-Za-z0-9_-], was "
              + (token == null ? "null" : "of length " + token.length()));
    }
    return token;
  }

  private static String checkedMetadata(String metadata) {
    if (metadata == null) {
      throw new IllegalArgumentException("metadata must be a string, was null");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(metadata)) {
      throw new IllegalArgumentException(
          "metadata must be valid Unicode, but has an unpaired surrogate: " + metadata);
    }
    int bytes = metadata.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_METADATA_BYTES) {
      throw new IllegalArgumentException(
          "metadata must have at most %,d bytes of UTF-8, was %,d"
              .formatted(MAX_METADATA_BYTES, bytes));
    }
    return metadata;
  }

  /**
   * Options with this ttl and the defaults of all others.
   *
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @return new options
   * @throws IllegalArgumentException when the ttl is out of range
   */
  public static LockOptions of(Duration ttl) {
    return new LockOptions(new Draft(ttl));
  }

  /**
   * How long the lock lives in the store unless it is refreshed: the longest time that others wait
   * for a holder that has died. No default; 10 ms to 365 days.
   *
   * @param ttl the time to live
   * @return new options
   * @throws IllegalArgumentException when it is out of range
   */
  public LockOptions ttl(Duration ttl) {
    return with(draft -> draft.ttl = ttl);
  }

  /**
   * How attempts are spaced, and when a waiter gives up before {@link #waitAtMost}. Of the waiters
   * for the same keys in a locker only the first one makes attempts; for the others only {@link
   * #waitAtMost} counts. Default: {@code Retry.backoff(Long.MAX_VALUE, 50 ms).maxBackoff(1
   * s).jitter(0.5)}.
   *
   * <p>The spec sees each failed attempt: {@link LockNotAcquiredException} when another holder has
   * a key, {@link LockStoreException} when the store is in passing trouble. Further attempts may be
   * made earlier than the spec says: when the store sends a wake-up because a key may be free, when
   * the holder's ttl ends, and at least once a second while others stand behind. They do not count
   * as the spec's. A spec without any delay is given one of 1 ms. Delays that the spec would take
   * on {@code Schedulers.parallel()} are measured by the locker's timer.
   *
   * @param retry any {@link Retry}; it is shared by all acquisitions with these options
   * @return new options
   * @throws IllegalArgumentException when it is null
   */
  public LockOptions retry(Retry retry) {
    return with(draft -> draft.retry = retry);
  }

  /**
   * How long an acquisition waits at most, from its subscription on. Default 10 s; zero is a single
   * attempt; 0 to 365 days.
   *
   * @param limit the time
   * @return new options
   * @throws IllegalArgumentException when it is out of range
   */
  public LockOptions waitAtMost(Duration limit) {
    return with(draft -> draft.waitAtMost = limit);
  }

  /**
   * Whether {@code withLock}, {@code withLockMany} and {@code keepAlive} refresh the lock. Default
   * true; when false the lock ends at its ttl, unless it is extended by hand.
   *
   * @param on whether to refresh
   * @return new options
   */
  public LockOptions autoRefresh(boolean on) {
    return with(draft -> draft.autoRefresh = on);
  }

  /**
   * How long refreshes may hold a lock in all: none carries the deadline past this, counted from
   * the grant. Default 24 h; 10 ms to 365 days. A first ttl that is longer stays as it is.
   *
   * @param limit the time
   * @return new options
   * @throws IllegalArgumentException when it is out of range
   */
  public LockOptions maxHold(Duration limit) {
    return with(draft -> draft.maxHold = limit);
  }

  /**
   * Whether the lock gets a {@linkplain Lock#fencingToken() fencing token}. Default false. It costs
   * one more key for each key, which lives for 24 h.
   *
   * @param on whether to ask for a fencing token
   * @return new options
   */
  public LockOptions fenced(boolean on) {
    return with(draft -> draft.fenced = on);
  }

  /**
   * What is stored behind the token, for people who look at Redis. Default {@code ""}; up to 64 KiB
   * of UTF-8.
   *
   * @param metadata any text
   * @return new options
   * @throws IllegalArgumentException when it is null, too long or has unpaired surrogates
   */
  public LockOptions metadata(String metadata) {
    return with(draft -> draft.metadata = metadata);
  }

  /**
   * A token of the caller's, for locks that outlive a process: acquiring with it again re-enters,
   * also with more keys or other metadata. Default: a new random token for each lease; 22
   * characters of {@code [A-Za-z0-9_-]}. All handles of one token count as one: any of them frees
   * the keys. An acquisition that is cancelled frees only what it has newly taken. A release whose
   * answer was lost may take effect later, and then also frees what was acquired with the same
   * token in between; new tokens do not have that problem.
   *
   * @param token the token
   * @return new options
   * @throws IllegalArgumentException when it is not 22 of these characters
   */
  public LockOptions token(String token) {
    return with(draft -> draft.token = checkedToken(token));
  }

  /**
   * How long the keys stay taken at least, counted from the grant, even if the lock is released
   * earlier: the release then sets their ttl to what is left, longer or shorter. Default zero,
   * which frees them at once; 0 to 365 days. With it a job runs once a period though the clocks of
   * its instances differ.
   *
   * @param minimum the time
   * @return new options
   * @throws IllegalArgumentException when it is out of range
   */
  public LockOptions holdAtLeast(Duration minimum) {
    return with(draft -> draft.holdAtLeast = minimum);
  }

  /**
   * What becomes of the body of a cancelled scope. Default false: the body is cancelled and the
   * lock released at once. True: the body runs on under the lock to its end (a Flux with unbounded
   * demand, its elements dropped), then the lock is released.
   *
   * @param on whether the body runs to its end
   * @return new options
   */
  public LockOptions finishOnCancel(boolean on) {
    return with(draft -> draft.finishOnCancel = on);
  }

  /**
   * How long the lock lives without a refresh.
   *
   * @return 10 ms to 365 days, whole milliseconds
   */
  public Duration ttl() {
    return ttl;
  }

  /**
   * How attempts are spaced.
   *
   * @return the spec
   */
  public Retry retry() {
    return retry;
  }

  /**
   * How long an acquisition waits at most.
   *
   * @return the time, zero for a single attempt
   */
  public Duration waitAtMost() {
    return waitAtMost;
  }

  /**
   * Whether scopes and {@code keepAlive} refresh the lock.
   *
   * @return whether they do
   */
  public boolean autoRefresh() {
    return autoRefresh;
  }

  /**
   * How long refreshes may hold a lock in all.
   *
   * @return the time from the grant
   */
  public Duration maxHold() {
    return maxHold;
  }

  /**
   * Whether the lock gets a fencing token.
   *
   * @return whether it does
   */
  public boolean fenced() {
    return fenced;
  }

  /**
   * What is stored behind the token.
   *
   * @return the metadata, {@code ""} when none
   */
  public String metadata() {
    return metadata;
  }

  /**
   * The token of the caller's.
   *
   * @return the token, empty when each subscription gets a new one
   */
  public Optional<String> token() {
    return Optional.ofNullable(token);
  }

  /**
   * How long the keys stay taken at least.
   *
   * @return the time from the grant
   */
  public Duration holdAtLeast() {
    return holdAtLeast;
  }

  /**
   * Whether the body of a cancelled scope runs to its end.
   *
   * @return whether it does
   */
  public boolean finishOnCancel() {
    return finishOnCancel;
  }

  @Override
  public String toString() {
    return "LockOptions[ttl=%s, waitAtMost=%s, autoRefresh=%s, maxHold=%s, fenced=%s, metadata=%s, token=%s, holdAtLeast=%s, finishOnCancel=%s]"
        .formatted(
            ttl,
            waitAtMost,
            autoRefresh,
            maxHold,
            fenced,
            metadata,
            token == null ? "new" : token.substring(0, 4) + "...",
            holdAtLeast,
            finishOnCancel);
  }

  /** All options while they are being set, unchecked; the only place that copies them. */
  private static final class Draft {
    Duration ttl;
    Retry retry = DEFAULT_RETRY;
    Duration waitAtMost = Duration.ofSeconds(10);
    boolean autoRefresh = true;
    Duration maxHold = Duration.ofHours(24);
    boolean fenced;
    String metadata = "";
    @Nullable String token;
    Duration holdAtLeast = Duration.ZERO;
    boolean finishOnCancel;

    Draft(Duration ttl) {
      this.ttl = ttl;
    }

    Draft(LockOptions from) {
      this.ttl = from.ttl;
      this.retry = from.retry;
      this.waitAtMost = from.waitAtMost;
      this.autoRefresh = from.autoRefresh;
      this.maxHold = from.maxHold;
      this.fenced = from.fenced;
      this.metadata = from.metadata;
      this.token = from.token;
      this.holdAtLeast = from.holdAtLeast;
      this.finishOnCancel = from.finishOnCancel;
    }
  }
}
