// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Locks as operators, for {@code transformDeferred} and {@code transform} of a Mono or a Flux.
 *
 * <pre>{@code
 * Mono<Receipt> receipt = charge.transformDeferred(locked(locker, "order:42", ttl));
 * Flux<Row> rows = export.transformDeferred(locked(locker, "export", ttl));
 * }</pre>
 *
 * <p>What stands above the operator is subscribed once the lock is held, and finds it in its
 * Context: see {@link CurrentLock}.
 */
public final class LockOperators {

  private LockOperators() {}

  /**
   * Puts a Mono or a Flux under a lock.
   *
   * <p>One subscription takes the keys, waiting for them as the options say, subscribes the source,
   * keeps the lock alive meanwhile, and frees it whatever becomes of the source. Outcomes, cancel
   * and threads are those of {@link ReactiveLocker#withLock(Collection, LockOptions, Function)} for
   * a Mono, and of {@link ReactiveLocker#withLockMany(Collection, LockOptions, Function)} for
   * anything else.
   *
   * @param locker takes the lock
   * @param keys the keys, 1 to 1,024
   * @param options how to wait for and hold the lock
   * @param <T> the type of the elements
   * @return makes of a Mono a Mono, of any other Publisher a Flux
   * @throws IllegalArgumentException when a key breaks a rule
   */
  public static <T> UnaryOperator<Publisher<T>> locked(
      ReactiveLocker locker, Collection<String> keys, LockOptions options) {
    List<String> checked = checked(locker, keys, options);
    return source ->
        source instanceof Mono<T> mono
            ? locker.withLock(
                checked, options, lock -> mono.contextWrite(HeldLocks.with(locker, lock)))
            : locker.withLockMany(
                checked,
                options,
                lock -> Flux.from(source).contextWrite(HeldLocks.with(locker, lock)));
  }

  /** An acquisition is assembled, but not subscribed: so the keys are checked now, not later. */
  private static List<String> checked(
      ReactiveLocker locker, Collection<String> keys, LockOptions options) {
    Objects.requireNonNull(locker.tryAcquire(keys, options));
    return List.copyOf(keys);
  }

  /**
   * Puts a Mono or a Flux under a lock, as {@link #locked(ReactiveLocker, Collection, LockOptions)}
   * does.
   *
   * @param locker takes the lock
   * @param key the key
   * @param options how to wait for and hold the lock
   * @param <T> the type of the elements
   * @return makes of a Mono a Mono, of any other Publisher a Flux
   * @throws IllegalArgumentException when the key breaks a rule
   */
  public static <T> UnaryOperator<Publisher<T>> locked(
      ReactiveLocker locker, String key, LockOptions options) {
    return locked(locker, Collections.singletonList(key), options);
  }

  /**
   * Puts a Mono or a Flux under a lock, as {@link #locked(ReactiveLocker, Collection, LockOptions)}
   * does, with the locker's default options.
   *
   * @param locker takes the lock
   * @param key the key
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param <T> the type of the elements
   * @return makes of a Mono a Mono, of any other Publisher a Flux
   * @throws IllegalArgumentException when the key or the ttl breaks a rule
   */
  public static <T> UnaryOperator<Publisher<T>> locked(
      ReactiveLocker locker, String key, Duration ttl) {
    return locked(locker, key, locker.defaults().ttl(ttl));
  }

  /**
   * Puts a Mono or a Flux under a lock on several keys, as {@link #locked(ReactiveLocker,
   * Collection, LockOptions)} does, with the locker's default options.
   *
   * @param locker takes the lock
   * @param keys the keys, 1 to 1,024
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param <T> the type of the elements
   * @return makes of a Mono a Mono, of any other Publisher a Flux
   * @throws IllegalArgumentException when a key or the ttl breaks a rule
   */
  public static <T> UnaryOperator<Publisher<T>> locked(
      ReactiveLocker locker, Collection<String> keys, Duration ttl) {
    return locked(locker, keys, locker.defaults().ttl(ttl));
  }

  /**
   * Does some work for each element under the lock of the element's own key: work of different keys
   * at the same time, work of one key one after the other, in the order of the source.
   *
   * <pre>{@code
   * Flux<Receipt> receipts =
   *     orders.transform(lockEach(locker, Order::key, options, order -> ship(order), 8));
   * }</pre>
   *
   * <p>At most {@code concurrency} elements are in work, which includes waiting for a lock that
   * another process holds. As many others, but at least 32, are requested from the source
   * beforehand and wait here for their turn; those of a busy key do not stand in the way of other
   * keys until these places are taken. Nothing is sent to the store for an element before its turn.
   * Results are passed on as they come, those of one key in order; up to 32 results of each element
   * in work are kept until they are requested.
   *
   * <p>Outcomes:
   *
   * <ul>
   *   <li>all results, then completion, once the source has completed and all keys are free;
   *   <li>the first error of the source, of {@code keyOf}, of the work, or of a lock, which is
   *       {@link LockNotAcquiredException} or {@link LockLostException} among others: the rest is
   *       cancelled. {@link IllegalArgumentException} when a key breaks a rule.
   * </ul>
   *
   * <p>Cancelled, and after an error, the source and all work are cancelled and their locks are
   * freed in the background, at once or at the end of the work with {@link
   * LockOptions#finishOnCancel}; the work of waiting elements does not begin. The work runs on the
   * locker's {@code publishOn} scheduler, where results are signalled, too, or where they are
   * requested.
   *
   * @param locker takes the locks
   * @param keyOf gives the key of an element; must be quick
   * @param options how to wait for and hold each lock
   * @param work what to do for an element under the lock of its key
   * @param concurrency how many elements are in work at the same time, at most; 1 to 100,000
   * @param <T> the type of the elements
   * @param <R> the type of the results
   * @return makes a Flux of results
   * @throws IllegalArgumentException when concurrency is out of range
   */
  public static <T, R> Function<Flux<T>, Flux<R>> lockEach(
      ReactiveLocker locker,
      Function<? super T, String> keyOf,
      LockOptions options,
      Function<? super T, ? extends Publisher<R>> work,
      int concurrency) {
    Objects.requireNonNull(locker, "locker");
    Objects.requireNonNull(keyOf, "keyOf");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(work, "work");
    if (concurrency < 1 || concurrency > 100_000) {
      throw new IllegalArgumentException(
          "concurrency must be between 1 and 100,000, was " + concurrency);
    }
    return source ->
        new LockEach<T, R>(
            source,
            keyOf,
            (key, element) ->
                Flux.defer(
                    () ->
                        locker.withLockMany(
                            key,
                            options,
                            lock ->
                                Flux.from(work.apply(element))
                                    .contextWrite(HeldLocks.with(locker, lock)))),
            concurrency);
  }

  /**
   * Does some work for each element under the lock of the element's own key, as {@link
   * #lockEach(ReactiveLocker, Function, LockOptions, Function, int)} does, with the locker's
   * default options.
   *
   * @param locker takes the locks
   * @param keyOf gives the key of an element; must be quick
   * @param ttl how long each lock lives without a refresh, 10 ms to 365 days
   * @param work what to do for an element under the lock of its key
   * @param concurrency how many elements are in work at the same time, at most; 1 to 100,000
   * @param <T> the type of the elements
   * @param <R> the type of the results
   * @return makes a Flux of results
   * @throws IllegalArgumentException when the ttl or concurrency is out of range
   */
  public static <T, R> Function<Flux<T>, Flux<R>> lockEach(
      ReactiveLocker locker,
      Function<? super T, String> keyOf,
      Duration ttl,
      Function<? super T, ? extends Publisher<R>> work,
      int concurrency) {
    return lockEach(locker, keyOf, locker.defaults().ttl(ttl), work, concurrency);
  }
}
