// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.engine.StoreLockerBuilder;
import io.monolock.store.Holder;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Hands out distributed locks without ever blocking a thread.
 *
 * <p>The front door is {@link #withLock(String, Duration, Mono)}:
 *
 * <pre>{@code
 * Mono<Receipt> receipt = locker.withLock("order:42", Duration.ofSeconds(30), charge);
 * }</pre>
 *
 * <p>Every way to lock has the same forms:
 *
 * <table>
 *   <caption>Which call for which task</caption>
 *   <tr><th>task</th><th>call</th><th>what to lock</th><th>how</th><th>what to run</th></tr>
 *   <tr><td>run something, waiting for the lock</td><td>{@code withLock}</td>
 *     <td rowspan="5">a key or a collection of keys</td>
 *     <td rowspan="5">nothing: the locker's defaults; a {@code Duration}: with this ttl;
 *     {@code LockOptions}</td><td>a Mono, or a function from the lock to one</td></tr>
 *   <tr><td>the same with many elements</td><td>{@code withLockMany}</td>
 *     <td>a Flux, or a function from the lock to a Publisher</td></tr>
 *   <tr><td>run something, unless another holder has the lock</td><td>{@code tryWithLock}</td>
 *     <td>a Mono, or a function from the lock to one</td></tr>
 *   <tr><td>take a lock, waiting for it</td><td>{@code acquire}</td><td></td></tr>
 *   <tr><td>take a lock, unless another holder has it</td><td>{@code tryAcquire}</td><td></td></tr>
 * </table>
 *
 * <p>What holds for every method:
 *
 * <ul>
 *   <li>Nothing happens until the returned Mono or Flux is subscribed, and each subscription is a
 *       new acquisition, which excludes all others. Two flows never share a lock because they share
 *       a thread; a lock may be taken on one thread and released on another.
 *   <li>Bad input is an {@link IllegalArgumentException} at the call, before anything is sent: no
 *       keys, more than 1,024, one that is null, empty, over 64 KiB of UTF-8 or with unpaired
 *       surrogates. Duplicates count once.
 *   <li>Several keys are taken together or not at all.
 *   <li>Every Mono ends by the locker's own time limits, even if the store never answers.
 *   <li>Signals arrive on the scheduler given to {@link Builder#publishOn}, never on a thread of
 *       the store's driver.
 *   <li>After {@link #close()} everything ends with {@link LockerClosedException}.
 * </ul>
 *
 * <p>Not promised: a lock is a lease. It cannot stop a process that was paused past its deadline
 * from acting when it wakes, nor a body that ignores its cancellation. Where that matters, check
 * {@link Lock#fencingToken()} at the resource.
 *
 * <p>Instances are safe for use by any number of threads.
 */
@CheckReturnValue
public interface ReactiveLocker {

  /**
   * A locker with the default settings.
   *
   * @param store where the locks are kept; it belongs to this locker from now on
   * @return a new locker
   */
  static ReactiveLocker create(LockStore store) {
    return builder(store).build();
  }

  /**
   * Starts to build a locker.
   *
   * @param store where the locks are kept; it belongs to the locker that is built
   * @return a new builder
   */
  static Builder builder(LockStore store) {
    return new StoreLockerBuilder(store);
  }

  /**
   * What the shortcuts that take only a ttl start from.
   *
   * @return the options given to {@link Builder#defaults}; unless it says otherwise those of {@link
   *     LockOptions#of}
   */
  default LockOptions defaults() {
    return LockOptions.of(Duration.ofSeconds(30));
  }

  /**
   * Makes one attempt to take the keys.
   *
   * <p>Outcomes:
   *
   * <ul>
   *   <li>the lock;
   *   <li>empty when another holder has a key, or others wait for the same keys in this locker; in
   *       the second case the store is not asked;
   *   <li>{@link LockStoreException} at once when the store is in trouble.
   * </ul>
   *
   * <p>Cancelled before the lock is delivered, the keys are freed in the background. Once delivered
   * the lock is the subscriber's to release; an operator that loses it on the way leaves it to its
   * ttl. {@link #withLock(Collection, LockOptions, Function)} has no such gap.
   *
   * @param keys the keys, 1 to 1,024
   * @param options how to hold the lock; those about waiting do not count
   * @return the lock, or empty
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  Mono<Lock> tryAcquire(Collection<String> keys, LockOptions options);

  /**
   * Makes one attempt to take a key, as {@link #tryAcquire(Collection, LockOptions)} does, with the
   * locker's default options.
   *
   * @param key the key
   * @return the lock, or empty
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default Mono<Lock> tryAcquire(String key) {
    return tryAcquire(Collections.singletonList(key), defaults());
  }

  /**
   * Makes one attempt to take the keys, as {@link #tryAcquire(Collection, LockOptions)} does, with
   * the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @return the lock, or empty
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default Mono<Lock> tryAcquire(Collection<String> keys) {
    return tryAcquire(keys, defaults());
  }

  /**
   * Makes one attempt to take a key, as {@link #tryAcquire(Collection, LockOptions)} does, with the
   * locker's default options.
   *
   * @param key the key
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @return the lock, or empty
   * @throws IllegalArgumentException when the key or the ttl breaks a rule, or an argument is null
   */
  default Mono<Lock> tryAcquire(String key, Duration ttl) {
    return tryAcquire(Collections.singletonList(key), defaults().ttl(ttl));
  }

  /**
   * Makes one attempt to take the keys, as {@link #tryAcquire(Collection, LockOptions)} does, with
   * the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @return the lock, or empty
   * @throws IllegalArgumentException when a key or the ttl breaks a rule, or an argument is null
   */
  default Mono<Lock> tryAcquire(Collection<String> keys, Duration ttl) {
    return tryAcquire(keys, defaults().ttl(ttl));
  }

  /**
   * Makes one attempt to take a key, as {@link #tryAcquire(Collection, LockOptions)} does.
   *
   * @param key the key
   * @param options how to hold the lock; those about waiting do not count
   * @return the lock, or empty
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default Mono<Lock> tryAcquire(String key, LockOptions options) {
    return tryAcquire(Collections.singletonList(key), options);
  }

  /**
   * Takes the keys, waiting for them as the options say.
   *
   * <p>Outcomes:
   *
   * <ul>
   *   <li>the lock;
   *   <li>{@link LockNotAcquiredException} when waiting ended and another holder has a key;
   *   <li>{@link LockStoreException} when the store was in trouble to the end, or at once when
   *       waiting cannot help;
   *   <li>an error of its own that the {@linkplain LockOptions#retry retry} spec throws or signals.
   * </ul>
   *
   * <p>Waiters for the same keys in this locker stand in a line, first come first served. Only the
   * first one asks the store; a lock that is released here is handed to it. Other sets of keys are
   * other lines, even if they overlap. An acquisition with a {@linkplain LockOptions#token token}
   * of the user's never stands in a line.
   *
   * <p>Cancelled before the lock is delivered, waiting ends and the keys are freed in the
   * background, or handed to the next waiter. Once delivered the lock is the subscriber's to
   * release; an operator that loses it on the way leaves it to its ttl, and a warning names its
   * keys. {@link #withLock(Collection, LockOptions, Function)} has no such gap.
   *
   * <p>Cancelled in the wrong moment, these lose it: {@code flatMap}, {@code switchMap}, {@code
   * filterWhen}, {@code zip}, {@code zipWhen}, {@code delayElement}, {@code publishOn}, {@code
   * timeout}, {@code share}, {@code takeUntilOther}, and {@code firstWithSignal} when another
   * source is first. {@code then} always does. {@code cache} gives one lock to all subscribers and
   * keeps it when all have cancelled. {@code map} and {@code doOnNext} hand it on, and {@code
   * flatMap(Lock::release)} frees it in any case.
   *
   * @param keys the keys, 1 to 1,024
   * @param options how to wait for and hold the lock
   * @return the lock, never empty
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  Mono<Lock> acquire(Collection<String> keys, LockOptions options);

  /**
   * Takes a key, as {@link #acquire(Collection, LockOptions)} does, with the locker's default
   * options.
   *
   * @param key the key
   * @return the lock, never empty
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default Mono<Lock> acquire(String key) {
    return acquire(Collections.singletonList(key), defaults());
  }

  /**
   * Takes the keys, as {@link #acquire(Collection, LockOptions)} does, with the locker's default
   * options.
   *
   * @param keys the keys, 1 to 1,024
   * @return the lock, never empty
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default Mono<Lock> acquire(Collection<String> keys) {
    return acquire(keys, defaults());
  }

  /**
   * Takes a key, as {@link #acquire(Collection, LockOptions)} does, with the locker's default
   * options.
   *
   * @param key the key
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @return the lock, never empty
   * @throws IllegalArgumentException when the key or the ttl breaks a rule, or an argument is null
   */
  default Mono<Lock> acquire(String key, Duration ttl) {
    return acquire(Collections.singletonList(key), defaults().ttl(ttl));
  }

  /**
   * Takes the keys, as {@link #acquire(Collection, LockOptions)} does, with the locker's default
   * options.
   *
   * @param keys the keys, 1 to 1,024
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @return the lock, never empty
   * @throws IllegalArgumentException when a key or the ttl breaks a rule, or an argument is null
   */
  default Mono<Lock> acquire(Collection<String> keys, Duration ttl) {
    return acquire(keys, defaults().ttl(ttl));
  }

  /**
   * Takes a key, as {@link #acquire(Collection, LockOptions)} does.
   *
   * @param key the key
   * @param options how to wait for and hold the lock
   * @return the lock, never empty
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default Mono<Lock> acquire(String key, LockOptions options) {
    return acquire(Collections.singletonList(key), options);
  }

  /**
   * Runs a body under a lock: takes the keys, runs the body, keeps the lock alive meanwhile, and
   * frees it whatever becomes of the body.
   *
   * <p>Outcomes:
   *
   * <ul>
   *   <li>the body's own: its value, its completion without one, or its error, once the keys are
   *       free; trouble with freeing them delays it by at most 1 s and never replaces it;
   *   <li>{@link LockLostException} as soon as the lock is lost: the body is cancelled, and a value
   *       or completion that it signals past the deadline does not count. Its own error past the
   *       deadline stays, with the loss suppressed;
   *   <li>the errors of {@link #acquire(Collection, LockOptions)}; then the body never ran.
   * </ul>
   *
   * <p>Cancelled while waiting, waiting ends and nothing is left behind. Cancelled while the body
   * runs, the body is cancelled and the keys are freed at once, or at its end with {@link
   * LockOptions#finishOnCancel}. Cancelled after it, nothing happens.
   *
   * <p>The body is called and subscribed on the scheduler of {@link Builder#publishOn}, and is
   * cancelled there.
   *
   * @param keys the keys, 1 to 1,024
   * @param options how to wait for and hold the lock
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  <T> Mono<T> withLock(
      Collection<String> keys, LockOptions options, Function<? super Lock, ? extends Mono<T>> body);

  /**
   * Runs a body under a lock, as {@link #withLock(Collection, LockOptions, Function)} does, with
   * the locker's default options.
   *
   * @param key the key
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(String key, Mono<T> body) {
    return withLock(Collections.singletonList(key), defaults(), always(body));
  }

  /**
   * Runs a body under a lock, as {@link #withLock(Collection, LockOptions, Function)} does, with
   * the locker's default options.
   *
   * @param key the key
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(String key, Function<? super Lock, ? extends Mono<T>> body) {
    return withLock(Collections.singletonList(key), defaults(), body);
  }

  /**
   * Runs a body under a lock on several keys, as {@link #withLock(Collection, LockOptions,
   * Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(Collection<String> keys, Mono<T> body) {
    return withLock(keys, defaults(), always(body));
  }

  /**
   * Runs a body under a lock on several keys, as {@link #withLock(Collection, LockOptions,
   * Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(
      Collection<String> keys, Function<? super Lock, ? extends Mono<T>> body) {
    return withLock(keys, defaults(), body);
  }

  /**
   * Runs a body under a lock, as {@link #withLock(Collection, LockOptions, Function)} does, with
   * the locker's default options.
   *
   * @param key the key
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when the key or the ttl breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(String key, Duration ttl, Mono<T> body) {
    return withLock(Collections.singletonList(key), defaults().ttl(ttl), always(body));
  }

  /**
   * Runs a body under a lock, as {@link #withLock(Collection, LockOptions, Function)} does, with
   * the locker's default options.
   *
   * @param key the key
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when the key or the ttl breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(
      String key, Duration ttl, Function<? super Lock, ? extends Mono<T>> body) {
    return withLock(Collections.singletonList(key), defaults().ttl(ttl), body);
  }

  /**
   * Runs a body under a lock on several keys, as {@link #withLock(Collection, LockOptions,
   * Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when a key or the ttl breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(Collection<String> keys, Duration ttl, Mono<T> body) {
    return withLock(keys, defaults().ttl(ttl), always(body));
  }

  /**
   * Runs a body under a lock on several keys, as {@link #withLock(Collection, LockOptions,
   * Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when a key or the ttl breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(
      Collection<String> keys, Duration ttl, Function<? super Lock, ? extends Mono<T>> body) {
    return withLock(keys, defaults().ttl(ttl), body);
  }

  /**
   * Runs a body under a lock, as {@link #withLock(Collection, LockOptions, Function)} does.
   *
   * @param key the key
   * @param options how to wait for and hold the lock
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(String key, LockOptions options, Mono<T> body) {
    return withLock(Collections.singletonList(key), options, always(body));
  }

  /**
   * Runs a body under a lock, as {@link #withLock(Collection, LockOptions, Function)} does.
   *
   * @param key the key
   * @param options how to wait for and hold the lock
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(
      String key, LockOptions options, Function<? super Lock, ? extends Mono<T>> body) {
    return withLock(Collections.singletonList(key), options, body);
  }

  /**
   * Runs a body under a lock on several keys, as {@link #withLock(Collection, LockOptions,
   * Function)} does.
   *
   * @param keys the keys, 1 to 1,024
   * @param options how to wait for and hold the lock
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default <T> Mono<T> withLock(Collection<String> keys, LockOptions options, Mono<T> body) {
    return withLock(keys, options, always(body));
  }

  /**
   * Runs a body under a lock, if the keys can be taken at once: as {@link #withLock(Collection,
   * LockOptions, Function)}, but with one attempt as {@link #tryAcquire(Collection, LockOptions)}
   * makes it.
   *
   * <p>Outcomes: empty when another holder has a key, or others wait for the same keys in this
   * locker; then the body never ran. {@link LockStoreException} at once when the store is in
   * trouble. Else those of {@code withLock}. A body that may be empty itself has to tell the
   * difference, with {@code thenReturn} for example.
   *
   * @param keys the keys, 1 to 1,024
   * @param options how to hold the lock; those about waiting do not count
   * @param body given the lock, what to run under it; called at most once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  <T> Mono<T> tryWithLock(
      Collection<String> keys, LockOptions options, Function<? super Lock, ? extends Mono<T>> body);

  /**
   * Runs a body under a lock, if that can be taken at once, as {@link #tryWithLock(Collection,
   * LockOptions, Function)} does, with the locker's default options.
   *
   * @param key the key
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(String key, Mono<T> body) {
    return tryWithLock(Collections.singletonList(key), defaults(), always(body));
  }

  /**
   * Runs a body under a lock, if that can be taken at once, as {@link #tryWithLock(Collection,
   * LockOptions, Function)} does, with the locker's default options.
   *
   * @param key the key
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(String key, Function<? super Lock, ? extends Mono<T>> body) {
    return tryWithLock(Collections.singletonList(key), defaults(), body);
  }

  /**
   * Runs a body under a lock, if that can be taken at once on several keys, as {@link
   * #tryWithLock(Collection, LockOptions, Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(Collection<String> keys, Mono<T> body) {
    return tryWithLock(keys, defaults(), always(body));
  }

  /**
   * Runs a body under a lock, if that can be taken at once on several keys, as {@link
   * #tryWithLock(Collection, LockOptions, Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(
      Collection<String> keys, Function<? super Lock, ? extends Mono<T>> body) {
    return tryWithLock(keys, defaults(), body);
  }

  /**
   * Runs a body under a lock, if that can be taken at once, as {@link #tryWithLock(Collection,
   * LockOptions, Function)} does, with the locker's default options.
   *
   * @param key the key
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when the key or the ttl breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(String key, Duration ttl, Mono<T> body) {
    return tryWithLock(Collections.singletonList(key), defaults().ttl(ttl), always(body));
  }

  /**
   * Runs a body under a lock, if that can be taken at once, as {@link #tryWithLock(Collection,
   * LockOptions, Function)} does, with the locker's default options.
   *
   * @param key the key
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when the key or the ttl breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(
      String key, Duration ttl, Function<? super Lock, ? extends Mono<T>> body) {
    return tryWithLock(Collections.singletonList(key), defaults().ttl(ttl), body);
  }

  /**
   * Runs a body under a lock, if that can be taken at once on several keys, as {@link
   * #tryWithLock(Collection, LockOptions, Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when a key or the ttl breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(Collection<String> keys, Duration ttl, Mono<T> body) {
    return tryWithLock(keys, defaults().ttl(ttl), always(body));
  }

  /**
   * Runs a body under a lock, if that can be taken at once on several keys, as {@link
   * #tryWithLock(Collection, LockOptions, Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when a key or the ttl breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(
      Collection<String> keys, Duration ttl, Function<? super Lock, ? extends Mono<T>> body) {
    return tryWithLock(keys, defaults().ttl(ttl), body);
  }

  /**
   * Runs a body under a lock, if that can be taken at once, as {@link #tryWithLock(Collection,
   * LockOptions, Function)} does.
   *
   * @param key the key
   * @param options how to hold the lock; those about waiting do not count
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(String key, LockOptions options, Mono<T> body) {
    return tryWithLock(Collections.singletonList(key), options, always(body));
  }

  /**
   * Runs a body under a lock, if that can be taken at once, as {@link #tryWithLock(Collection,
   * LockOptions, Function)} does.
   *
   * @param key the key
   * @param options how to hold the lock; those about waiting do not count
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(
      String key, LockOptions options, Function<? super Lock, ? extends Mono<T>> body) {
    return tryWithLock(Collections.singletonList(key), options, body);
  }

  /**
   * Runs a body under a lock, if that can be taken at once on several keys, as {@link
   * #tryWithLock(Collection, LockOptions, Function)} does.
   *
   * @param keys the keys, 1 to 1,024
   * @param options how to hold the lock; those about waiting do not count
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's value
   * @return the body's outcome, or empty
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default <T> Mono<T> tryWithLock(Collection<String> keys, LockOptions options, Mono<T> body) {
    return tryWithLock(keys, options, always(body));
  }

  /**
   * Runs a body of many elements under a lock. As {@link #withLock(Collection, LockOptions,
   * Function)}, for a Flux: elements are passed on as they come, on the body's own thread, each
   * checked against the deadline; completion follows once the keys are free.
   *
   * <p>With {@link LockOptions#finishOnCancel} a cancelled body runs to its end with unbounded
   * demand, its elements dropped.
   *
   * @param keys the keys, 1 to 1,024
   * @param options how to wait for and hold the lock
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  <T> Flux<T> withLockMany(
      Collection<String> keys,
      LockOptions options,
      Function<? super Lock, ? extends Publisher<T>> body);

  /**
   * Runs a body of many elements under a lock, as {@link #withLockMany(Collection, LockOptions,
   * Function)} does, with the locker's default options.
   *
   * @param key the key
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(String key, Flux<T> body) {
    return withLockMany(Collections.singletonList(key), defaults(), always(body));
  }

  /**
   * Runs a body of many elements under a lock, as {@link #withLockMany(Collection, LockOptions,
   * Function)} does, with the locker's default options.
   *
   * @param key the key
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(
      String key, Function<? super Lock, ? extends Publisher<T>> body) {
    return withLockMany(Collections.singletonList(key), defaults(), body);
  }

  /**
   * Runs a body of many elements under a lock on several keys, as {@link #withLockMany(Collection,
   * LockOptions, Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(Collection<String> keys, Flux<T> body) {
    return withLockMany(keys, defaults(), always(body));
  }

  /**
   * Runs a body of many elements under a lock on several keys, as {@link #withLockMany(Collection,
   * LockOptions, Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(
      Collection<String> keys, Function<? super Lock, ? extends Publisher<T>> body) {
    return withLockMany(keys, defaults(), body);
  }

  /**
   * Runs a body of many elements under a lock, as {@link #withLockMany(Collection, LockOptions,
   * Function)} does, with the locker's default options.
   *
   * @param key the key
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when the key or the ttl breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(String key, Duration ttl, Flux<T> body) {
    return withLockMany(Collections.singletonList(key), defaults().ttl(ttl), always(body));
  }

  /**
   * Runs a body of many elements under a lock, as {@link #withLockMany(Collection, LockOptions,
   * Function)} does, with the locker's default options.
   *
   * @param key the key
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when the key or the ttl breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(
      String key, Duration ttl, Function<? super Lock, ? extends Publisher<T>> body) {
    return withLockMany(Collections.singletonList(key), defaults().ttl(ttl), body);
  }

  /**
   * Runs a body of many elements under a lock on several keys, as {@link #withLockMany(Collection,
   * LockOptions, Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when a key or the ttl breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(Collection<String> keys, Duration ttl, Flux<T> body) {
    return withLockMany(keys, defaults().ttl(ttl), always(body));
  }

  /**
   * Runs a body of many elements under a lock on several keys, as {@link #withLockMany(Collection,
   * LockOptions, Function)} does, with the locker's default options.
   *
   * @param keys the keys, 1 to 1,024
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when a key or the ttl breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(
      Collection<String> keys, Duration ttl, Function<? super Lock, ? extends Publisher<T>> body) {
    return withLockMany(keys, defaults().ttl(ttl), body);
  }

  /**
   * Runs a body of many elements under a lock, as {@link #withLockMany(Collection, LockOptions,
   * Function)} does.
   *
   * @param key the key
   * @param options how to wait for and hold the lock
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(String key, LockOptions options, Flux<T> body) {
    return withLockMany(Collections.singletonList(key), options, always(body));
  }

  /**
   * Runs a body of many elements under a lock, as {@link #withLockMany(Collection, LockOptions,
   * Function)} does.
   *
   * @param key the key
   * @param options how to wait for and hold the lock
   * @param body given the lock, what to run under it; called once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when the key breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(
      String key, LockOptions options, Function<? super Lock, ? extends Publisher<T>> body) {
    return withLockMany(Collections.singletonList(key), options, body);
  }

  /**
   * Runs a body of many elements under a lock on several keys, as {@link #withLockMany(Collection,
   * LockOptions, Function)} does.
   *
   * @param keys the keys, 1 to 1,024
   * @param options how to wait for and hold the lock
   * @param body what to run under the lock; subscribed once for each subscription
   * @param <T> the type of the body's elements
   * @return the body's elements and its end
   * @throws IllegalArgumentException when a key breaks a rule, or an argument is null
   */
  default <T> Flux<T> withLockMany(Collection<String> keys, LockOptions options, Flux<T> body) {
    return withLockMany(keys, options, always(body));
  }

  private static <P> Function<Lock, P> always(P body) {
    if (body == null) {
      throw new IllegalArgumentException("body must not be null; Mono.empty() does nothing");
    }
    return lock -> body;
  }

  /**
   * Goes on with a lock whose token is known: after a restart, or handed over by another process.
   *
   * <p>Outcomes: the lock, with at least the ttl of the options from now; empty unless every key
   * still carries the token; {@link LockStoreException} when the store is in trouble. With {@link
   * LockOptions#fenced} the lock has the fencing token of the acquisition it goes on with, and
   * takes the metadata of the options. Only the caller can make sure that the former owner has
   * stopped: handles of one token count as one.
   *
   * <p>Cancelled, the keys stay as they are until their ttl ends.
   *
   * @param keys the keys, 1 to 1,024
   * @param token the token of the lock, 22 characters
   * @param options how to hold the lock; those about waiting and its token do not count
   * @return the lock, or empty
   * @throws IllegalArgumentException when a key or the token breaks a rule
   */
  Mono<Lock> attach(Collection<String> keys, String token, LockOptions options);

  /**
   * Asks the store for the holder of a key.
   *
   * <p>Outcomes: the holder; empty when the key is free; {@link LockStoreException} when the store
   * is in trouble. Cancelled, the answer is dropped.
   *
   * @param key the key
   * @return the holder, or empty
   * @throws IllegalArgumentException when the key breaks a rule
   */
  Mono<Holder> inspect(String key);

  /**
   * Frees a key, whichever holder it has; for operators. Its holder notices that as any theft:
   * {@link LockLostException} at its next refresh. Until then two may believe that they hold it.
   *
   * <p>Outcomes: true if it was held, false if it was free; {@link LockStoreException} when the
   * store is in trouble, or when the key holds something that cannot be a lock. Cancelled, the key
   * may or may not be freed.
   *
   * @param key the key
   * @return whether the key was held
   * @throws IllegalArgumentException when the key breaks a rule
   */
  Mono<Boolean> forceRelease(String key);

  /**
   * What callers of this locker wait for, hold and release at this moment, oldest first. Answers at
   * once, from what the locker knows; the store is not asked.
   *
   * @return a snapshot, immutable; empty from a locker that keeps no account
   */
  default List<LockActivity> activity() {
    return List.of();
  }

  /**
   * Ends all work of this locker and closes its store.
   *
   * <p>From the first subscription on, no lock is granted any more and waiters end with {@link
   * LockerClosedException}; scopes are cancelled with the same error, those with {@link
   * LockOptions#finishOnCancel} after they ended or after the {@linkplain Builder#closeTimeout time
   * for closing}; every open lock is released; then the store is closed. A repeat gives the first
   * outcome; cancelling it does not stop the closing.
   *
   * @return completes when all is done, at the latest soon after the time for closing
   */
  Mono<Void> close();

  /** Builds a {@link ReactiveLocker}. Not safe for use by several threads. */
  @CanIgnoreReturnValue
  interface Builder {

    /**
     * What the shortcuts that take only a ttl start from; only their ttl is replaced. Default:
     * {@link LockOptions#of} with a ttl of 30 s.
     *
     * @param options the options
     * @return this
     */
    Builder defaults(LockOptions options);

    /**
     * Called with what happens to locks. Default: none.
     *
     * @param observer the observer
     * @return this
     */
    Builder observer(LockObserver observer);

    /**
     * Clock and timer of waiting, refresh and deadlines. No code of users runs on it. Default: one
     * daemon thread of the locker's own, {@code monolock-timer}. A scheduler given here stays the
     * caller's; tests give a {@code VirtualTimeScheduler}.
     *
     * @param timer a scheduler that can delay
     * @return this
     */
    Builder timer(Scheduler timer);

    /**
     * Where every signal, callback, call of the observer and cancellation of a body happens.
     * Default: {@code Schedulers.parallel()}.
     *
     * <p>A scheduler that has no room is tried again until it has; one that is disposed is replaced
     * by a thread of the library's own. With {@code Schedulers.immediate()} signals arrive on the
     * threads of the store and of the timer, which saves the hop to another thread: only for
     * callers that never block, neither in a signal nor in a body. A signal that another one causes
     * comes after it, so a {@code block()} within a signal never ends there.
     *
     * @param scheduler the scheduler; it stays the caller's
     * @return this
     */
    Builder publishOn(Scheduler scheduler);

    /**
     * How long the locker waits for one call to the store, at most; the ttl or what is left of
     * {@link LockOptions#waitAtMost} may end it earlier. Default 2 s, 1 ms to 1 hour.
     *
     * @param timeout the time
     * @return this
     * @throws IllegalArgumentException when it is out of range
     */
    Builder commandTimeout(Duration timeout);

    /**
     * How long {@link ReactiveLocker#close()} waits for scopes that finish and for releases, at
     * most. Default 5 s, 0 to 1 hour.
     *
     * @param budget the time
     * @return this
     * @throws IllegalArgumentException when it is out of range
     */
    Builder closeTimeout(Duration budget);

    /**
     * How long this locker keeps keys among its own callers, one after the other, before it frees
     * them for real so that another process gets its turn. As long as no other process comes, each
     * turn may last this long; after one came, turns begin at 5 ms and double while none does.
     * After a turn this locker leaves the keys to others for a tenth of it, at least 3 ms, and for
     * up to 20 ms while others come. Longer turns favour the rate, shorter ones favour fairness
     * between processes. Default 100 ms, so that other processes wait for a moment that people
     * hardly notice; 0 to 1 hour, 0 to free the keys after every caller.
     *
     * @param longest the time
     * @return this
     * @throws IllegalArgumentException when it is out of range
     */
    Builder turn(Duration longest);

    /**
     * Builds the locker. Nothing is sent yet.
     *
     * @return a new locker
     */
    ReactiveLocker build();
  }
}
