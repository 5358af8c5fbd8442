// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The interface to implement for a place that keeps locks.
 *
 * <p>A call does nothing until it is subscribed. Then it
 *
 * <ul>
 *   <li>is atomic: it reads and checks everything before its first write;
 *   <li>emits exactly one value, or fails with {@link StoreFailure} (only {@link #inspect} and
 *       {@link #health} may be empty, and {@link #declareNew} is);
 *   <li>is safe to repeat with the same token, as when there was no answer;
 *   <li>never blocks the thread that subscribes.
 * </ul>
 *
 * <p>A cancelled call may still take effect. The engine never cancels an acquisition or a release;
 * it waits for the answer in the background, and releases a grant whose caller has gone.
 *
 * <p>A token has exactly {@value #TOKEN_LENGTH} characters, so that no token is a prefix of
 * another. Each {@code ttl} and {@code keepFor} is in whole milliseconds. A store belongs to one
 * locker, which closes it.
 */
public interface LockStore {

  /** How many characters a token has: {@value}. */
  int TOKEN_LENGTH = 22;

  /**
   * Refuses keys that this store can never take together. Called when a lock is assembled; sends
   * nothing.
   *
   * @param keys the keys of one lock
   * @param fenced whether a fencing number will be asked for
   * @throws IllegalArgumentException saying the rule and the keys
   */
  default void check(LockKeys keys, boolean fenced) {}

  /**
   * Refuses, beside such keys, locks that may live longer than this store allows. Called when a
   * lock is assembled; sends nothing.
   *
   * @param keys the keys of one lock
   * @param longest how long its keys are to live at a time: the ttl, or for how long the lock is to
   *     be held at least, whichever is longer
   * @param fenced whether a fencing number will be asked for
   * @throws IllegalArgumentException saying the rule and the keys or the time
   */
  default void check(LockKeys keys, Duration longest, boolean fenced) {
    check(keys, fenced);
  }

  /**
   * Takes all keys or none. Keys that already carry this token count as free; they are written
   * again, and their time to live is never shortened.
   *
   * @param keys the keys
   * @param token the token of the new holder
   * @param metadata stored behind the token, may be empty
   * @param ttl how long the keys live from now on at least, 1 ms or more
   * @param fenced whether to issue a fencing number: above every number issued before for any of
   *     the keys; the same number again if this very acquisition is repeated
   * @return granted or busy
   */
  Mono<Grant> acquire(LockKeys keys, String token, String metadata, Duration ttl, boolean fenced);

  /**
   * Extends the time to live of all keys if every one still carries the token.
   *
   * @param keys the keys
   * @param token the token of the holder
   * @param ttl how long the keys live from now on at least, 1 ms or more; never shortens
   * @return true if done; false, with nothing changed, if a key does not carry the token
   */
  Mono<Boolean> extend(LockKeys keys, String token, Duration ttl);

  /**
   * Frees all keys if every one still carries the token.
   *
   * @param keys the keys
   * @param token the token of the holder
   * @param keepFor when more than zero, the keys are not freed but live for this long from now,
   *     longer or shorter than they would have
   * @return true if done; false, with nothing changed, if a key does not carry the token
   */
  Mono<Boolean> release(LockKeys keys, String token, Duration keepFor);

  /**
   * How long all keys still carry the token.
   *
   * @param keys the keys
   * @param token the token of the holder
   * @return the shortest time to live among the keys; zero if a key does not carry the token
   */
  Mono<Duration> remaining(LockKeys keys, String token);

  /**
   * Frees the keys of one token and takes them for another. By default a release, then an
   * acquisition; a store that can do both in one step does.
   *
   * <p>When it is repeated and the keys carry the second token already, it answers granted.
   *
   * @param keys the keys
   * @param from the token of the present holder
   * @param to the token of the next holder
   * @param metadata stored behind the second token
   * @param ttl how long the keys live from now on, 1 ms or more
   * @param fenced whether to issue a fencing number for the second token
   * @return whether the first token released them, and what the second one got
   */
  default Mono<Transfer> transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    return release(keys, from, Duration.ZERO)
        .flatMap(
            released ->
                acquire(keys, to, metadata, ttl, fenced)
                    .map(grant -> new Transfer(released, grant)));
  }

  /**
   * Makes sure that later fencing numbers of the keys are above the given number. Needed by stores
   * that are members of a quorum.
   *
   * @param keys the keys
   * @param token the token of the holder
   * @param number the number that the holder got from another member
   * @return true if the stored number of every key is at least this now; false, with nothing
   *     changed, if a key does not carry the token; by default false, as without fencing numbers
   *     there is nothing to raise
   */
  default Mono<Boolean> raiseFence(LockKeys keys, String token, long number) {
    return Mono.just(false);
  }

  /**
   * Makes this store a member of a quorum, where a server that has forgotten locks must not help to
   * grant them again: from now on, each grant of {@link #acquire} says of which {@link Incarnation}
   * the server was in the very step that granted. Called when the quorum is built; sends nothing.
   *
   * @throws IllegalArgumentException if this store cannot tell; by default it cannot
   */
  default void becomeMember() {
    throw new IllegalArgumentException(
        "a member of a quorum must tell since when it has forgotten nothing, which "
            + getClass().getName()
            + " does not");
  }

  /**
   * Makes the server count as one that has forgotten nothing, as there was nothing to forget: for a
   * member of a quorum in which no process holds a lock.
   *
   * @return completes when it does; by default {@link StoreFailure} of reason {@code MISUSE}
   */
  default Mono<Void> declareNew() {
    return Mono.error(
        new StoreFailure(
            StoreProblem.Reason.MISUSE, false, "This store is no member of a quorum", null));
  }

  /**
   * The holder of a key.
   *
   * @param key the key
   * @return the holder, empty when the key is free
   */
  Mono<Holder> inspect(String key);

  /**
   * Frees a key whatever its token. A value that is no lock, but data of an application, is left
   * alone and is a {@link StoreFailure} of reason {@code MISUSE}: a list or a hash, or a text that
   * neither has a time to live nor begins with a token.
   *
   * @param key the key
   * @return true if it was held
   */
  Mono<Boolean> forceRelease(String key);

  /**
   * Wakes waiters when it is worth trying again to take the keys. A wake-up may be missed or be
   * false; nothing relies on them. By default there are none.
   *
   * <p>A waiter subscribes once its first attempt was refused, and stays subscribed while it makes
   * further attempts. While there is a subscriber, a store may make acquisitions of the same keys
   * in another way, so that it is notified of what happens to the keys afterwards. As soon as it is
   * able to do so, possibly upon the subscription, it emits once, for what happened before.
   *
   * <p>A wake-up may come in any thread, which must not be blocked. A subscriber that has requested
   * none at that time may miss it.
   *
   * @param keys the keys of the waiter
   * @return the keys, each time one of them may have become free; never completes by itself
   */
  default Flux<LockKeys> wakeUps(LockKeys keys) {
    return Flux.never();
  }

  /**
   * The health of the store, checked anew: for monitoring. By default empty, for stores without
   * such a check.
   *
   * @return the health, after one round trip, or {@link StoreFailure} when the store cannot be
   *     reached
   */
  default Mono<StoreHealth> health() {
    return Mono.empty();
  }

  /**
   * Called when a call got no answer within the command timeout. A store whose connection may have
   * died unnoticed, as it has answered none of the calls under way for that long, gives it up:
   * those calls fail then, and later ones go over a new connection. One slow answer among others is
   * no reason to. Calls that have waited for a connection for that long fail, as unavailable, and
   * are never sent; the connection may take longer to open. By default nothing happens.
   *
   * @param timeout how long the engine lets one call take
   */
  default void overdue(Duration timeout) {}

  /**
   * Closes connections and other resources of the store; locks are left as they are. Later calls
   * fail. Closing again is harmless.
   *
   * @return completes when everything is closed
   */
  Mono<Void> close();
}
