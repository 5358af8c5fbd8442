// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockLostException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A locker that lets a flow enter again what it holds already.
 *
 * <pre>{@code
 * ReactiveLocker reentrant = ReentrantLocker.wrap(locker);
 * Mono<Receipt> receipt =
 *     reentrant.withLock("order:42", ttl, reentrant.withLock("order:42", ttl, charge));
 * }</pre>
 *
 * <p>What a flow holds is in the Reactor Context of the bodies of its scopes, and nowhere else. So
 * a flow never enters because it runs on some thread, and what is subscribed without that Context
 * waits as any other flow does. Scopes of the same locker that were opened by {@link LockOperators}
 * or a {@link Leadership} count as well; a lock that was taken by {@code acquire} does not, as it
 * has no body.
 *
 * <h2>A scope on keys that the flow holds</h2>
 *
 * <ul>
 *   <li>It runs at once, on the thread that subscribes, and sends no command. Of its options only
 *       {@code fenced} and {@code token} count: the lease is that of the outer scope, which goes on
 *       as its own options say, also when this one is cancelled.
 *   <li>It ends with {@link LockLostException} when the outer lock is lost or released, with the
 *       reason of the outer lock; its body is cancelled.
 *   <li>Inner scopes that run at the same time share the outer lock: they do not exclude each
 *       other.
 *   <li>A lock that is no longer valid does not count as held.
 * </ul>
 *
 * <h2>A scope on keys that the flow holds in part</h2>
 *
 * <p>The missing keys are taken as the options say, and freed with the inner scope. An outer lock
 * that ends while it waits ends it once it has them; its body never runs. Two flows that each hold
 * a key and want the other's in such a scope wait for each other: that is not detected, and {@link
 * LockOptions#waitAtMost} ends it. Take all keys in the outer scope where you can.
 *
 * <h2>The handle of an inner scope</h2>
 *
 * <ul>
 *   <li>{@code release} ends this handle and frees what was taken for this scope; keys of outer
 *       scopes stay held. Its value is whether the keys were ours until then. After it, {@code
 *       extend}, {@code keepAlive} and {@code whileHeld} fail with {@link LockLostException},
 *       though the outer locks may be held still.
 *   <li>{@code extend} extends the keys of this scope only. {@code remaining} and {@code isValid}
 *       are the least of all locks that hold one of them, and those of an outer lock do not move by
 *       extending some of its keys.
 *   <li>{@code token} and {@code metadata} are those of the lock that was taken for this scope,
 *       else those of the outer lock that holds the first key.
 *   <li>{@code fencingToken} is that of the outer lock if it holds all keys. A scope that is {@code
 *       fenced} fails with {@link IllegalStateException} if its keys are not held by one fenced
 *       lock, as no number is right for all of them. So does one with a {@code token} that is not
 *       that of the outer locks.
 * </ul>
 *
 * <p>{@code acquire} and {@code tryAcquire} in a body give such a handle, at once when all keys are
 * held. {@code attach} and all else is what the wrapped locker does.
 */
public final class ReentrantLocker implements ReactiveLocker {

  private final ReactiveLocker locker;

  private ReentrantLocker(ReactiveLocker locker) {
    this.locker = locker;
  }

  /**
   * Makes a locker re-entrant.
   *
   * @param locker does the locking; all that wrap the same one see what each other's scopes hold
   * @return the locker that flows can enter again
   */
  public static ReentrantLocker wrap(ReactiveLocker locker) {
    return new ReentrantLocker(unwrapped(Objects.requireNonNull(locker, "locker")));
  }

  /** The locker whose locks they are. */
  static ReactiveLocker unwrapped(ReactiveLocker locker) {
    return locker instanceof ReentrantLocker reentrant ? reentrant.locker : locker;
  }

  @Override
  public LockOptions defaults() {
    return locker.defaults();
  }

  @Override
  public Mono<Lock> tryAcquire(Collection<String> keys, LockOptions options) {
    return lock(keys, options, locker::tryAcquire);
  }

  @Override
  public Mono<Lock> acquire(Collection<String> keys, LockOptions options) {
    return lock(keys, options, locker::acquire);
  }

  /** The map is safe: it passes on what it gets, even after cancel. */
  private Mono<Lock> lock(
      Collection<String> keys,
      LockOptions options,
      BiFunction<Collection<String>, LockOptions, Mono<Lock>> take) {
    Mono<Lock> outermost = take.apply(keys, options);
    Set<String> wanted = LockKeys.of(keys).asSet();
    return Mono.deferContextual(
        context -> {
          Nesting nesting = Nesting.of(context, locker, wanted, options);
          if (nesting.isNone()) {
            return outermost;
          }
          return nesting.isComplete()
              ? Mono.fromSupplier(nesting::lock)
              : take.apply(nesting.missing(), options).map(nesting::lock);
        });
  }

  @Override
  public <T> Mono<T> withLock(
      Collection<String> keys,
      LockOptions options,
      Function<? super Lock, ? extends Mono<T>> body) {
    return one(keys, options, body, locker::withLock);
  }

  @Override
  public <T> Mono<T> tryWithLock(
      Collection<String> keys,
      LockOptions options,
      Function<? super Lock, ? extends Mono<T>> body) {
    return one(keys, options, body, locker::tryWithLock);
  }

  private static void check(@Nullable Object body) {
    if (body == null) {
      throw new IllegalArgumentException("body must not be null");
    }
  }

  /** How the keys that are missing are taken. */
  private interface Taking<T> {
    Mono<T> take(
        Collection<String> keys,
        LockOptions options,
        Function<? super Lock, ? extends Mono<T>> body);
  }

  private <T> Mono<T> one(
      Collection<String> keys,
      LockOptions options,
      Function<? super Lock, ? extends Mono<T>> body,
      Taking<T> taking) {
    check(body);
    Mono<T> outermost = taking.take(keys, options, lock -> Mono.fromDirect(inContext(lock, body)));
    Set<String> wanted = LockKeys.of(keys).asSet();
    return Mono.deferContextual(
        context -> {
          Nesting nesting = Nesting.of(context, locker, wanted, options);
          if (nesting.isNone()) {
            return outermost;
          }
          // the value with the end, when no guard relies on a lock any more: operators below may
          // take a value for the end, and release the lock
          return inner(
                  nesting,
                  body,
                  own -> taking.take(nesting.missing(), options, own.andThen(Flux::singleOrEmpty)))
              .singleOrEmpty();
        });
  }

  @Override
  public <T> Flux<T> withLockMany(
      Collection<String> keys,
      LockOptions options,
      Function<? super Lock, ? extends Publisher<T>> body) {
    check(body);
    Flux<T> outermost = locker.withLockMany(keys, options, lock -> inContext(lock, body));
    Set<String> wanted = LockKeys.of(keys).asSet();
    return Flux.deferContextual(
        context -> {
          Nesting nesting = Nesting.of(context, locker, wanted, options);
          return nesting.isNone()
              ? outermost
              : inner(nesting, body, own -> locker.withLockMany(nesting.missing(), options, own));
        });
  }

  private <T> Flux<T> inContext(Lock lock, Function<? super Lock, ? extends Publisher<T>> body) {
    return Flux.from(
            Objects.requireNonNull(body.apply(lock), "the body of a lock must not be null"))
        .contextWrite(HeldLocks.with(locker, lock));
  }

  /**
   * @param taking runs what it is given under a lock on the missing keys
   */
  private <T> Flux<T> inner(
      Nesting nesting,
      Function<? super Lock, ? extends Publisher<T>> body,
      Function<Function<Lock, Flux<T>>, Publisher<T>> taking) {
    return nesting.isComplete()
        ? nesting.whileHeld(inScopeOf(nesting::lock, body))
        : Flux.from(
            taking.apply(own -> nesting.whileHeld(inScopeOf(() -> nesting.lock(own), body))));
  }

  private <T> Flux<T> inScopeOf(
      Callable<NestedLock> handle, Function<? super Lock, ? extends Publisher<T>> body) {
    return Flux.using(handle, lock -> inContext(lock, body), NestedLock::end);
  }

  @Override
  public Mono<Lock> attach(Collection<String> keys, String token, LockOptions options) {
    return locker.attach(keys, token, options);
  }

  @Override
  public Mono<Holder> inspect(String key) {
    return locker.inspect(key);
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return locker.forceRelease(key);
  }

  @Override
  public List<LockActivity> activity() {
    return locker.activity();
  }

  @Override
  public Mono<Void> close() {
    return locker.close();
  }
}
