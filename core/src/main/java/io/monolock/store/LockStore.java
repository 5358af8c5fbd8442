// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A place that keeps locks.
 *
 * <p>Each call does nothing until it is subscribed, and then
 *
 * <ul>
 *   <li>is atomic: it reads and checks everything before its first write;
 *   <li>emits exactly one value, or fails with {@link StoreFailure} (only {@link #inspect}, {@link
 *       #health} and {@link #incarnation} may be empty);
 *   <li>is safe to repeat with the same token: whoever got no answer may ask again;
 *   <li>never blocks the thread that subscribes.
 * </ul>
 *
 * <p>A cancelled call may still take effect. The engine never cancels an acquisition or a release;
 * it waits for the answer in the background and releases what nobody took.
 *
 * <p>A token has exactly {@value #TOKEN_LENGTH} characters, so that no token is the beginning of
 * another. The ttl's and {@code keepFor} are whole milliseconds. A store belongs to one locker,
 * which closes it.
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
   * Takes all keys or none. Keys that carry this token already count as free; they are written
   * anew, and their time to live is never shortened.
   *
   * @param keys the keys
   * @param token who takes them
   * @param metadata stored behind the token, may be empty
   * @param ttl how long the keys live from now on at least, 1 ms or more
   * @param fenced whether to issue a fencing number: above every number issued before for any of
   *     the keys, and the same again if this very acquisition is repeated
   * @return granted or busy
   */
  Mono<Grant> acquire(LockKeys keys, String token, String metadata, Duration ttl, boolean fenced);

  /**
   * Prolongs all keys if every one of them still carries the token.
   *
   * @param keys the keys
   * @param token who holds them
   * @param ttl how long the keys live from now on at least, 1 ms or more; never shortens
   * @return true if done; false, with nothing changed, if a key is not the token's
   */
  Mono<Boolean> extend(LockKeys keys, String token, Duration ttl);

  /**
   * Frees all keys if every one of them still carries the token.
   *
   * @param keys the keys
   * @param token who holds them
   * @param keepFor when more than zero, the keys are not freed but live for this long from now,
   *     longer or shorter than they would have
   * @return true if done; false, with nothing changed, if a key is not the token's
   */
  Mono<Boolean> release(LockKeys keys, String token, Duration keepFor);

  /**
   * How long all keys still are the token's.
   *
   * @param keys the keys
   * @param token who holds them
   * @return the shortest time to live among the keys; zero if a key is not the token's
   */
  Mono<Duration> remaining(LockKeys keys, String token);

  /**
   * Frees the keys of one token and takes them for another. By default a release, then an
   * acquisition; a store that can do both in one step does.
   *
   * <p>Repeated when the keys are the second token's already, it answers granted.
   *
   * @param keys the keys
   * @param from who holds them
   * @param to who gets them
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
   * Makes sure that later fencing numbers of the keys are above the given one. For stores that are
   * members of a quorum.
   *
   * @param keys the keys
   * @param token who holds them
   * @param number the number that the holder was given elsewhere
   * @return true if the stored number of every key is at least this now; false, with nothing
   *     changed, if a key is not the token's; by default false, as without fencing numbers there is
   *     nothing to raise
   */
  default Mono<Boolean> raiseFence(LockKeys keys, String token, long number) {
    return Mono.just(false);
  }

  /**
   * Which place keeps the locks, and since when it has forgotten none. For stores that are members
   * of a quorum, where one that has forgotten its locks must not help to grant them again.
   *
   * <p>Subscribed right after another call, by the same thread, it tells of the place that has
   * carried out that call, or of what has become of it since; never of what it was before.
   *
   * @return the present incarnation; by default empty, as by a store that cannot tell
   */
  default Mono<Incarnation> incarnation() {
    return Mono.empty();
  }

  /**
   * Who holds a key.
   *
   * @param key the key
   * @return the holder, empty when the key is free
   */
  Mono<Holder> inspect(String key);

  /**
   * Frees a key whoever holds it. A value that cannot be a lock (a list, a hash) is left alone and
   * is a {@link StoreFailure} of reason {@code MISUSE}.
   *
   * @param key the key
   * @return true if it was held
   */
  Mono<Boolean> forceRelease(String key);

  /**
   * Hints that it is worth trying again to take the keys. They may be missed and may be invented;
   * nothing relies on them. By default there are none.
   *
   * <p>Whoever waits subscribes once its first attempt was refused, and stays subscribed while it
   * makes its attempts: a store may make those that come while somebody is subscribed for the same
   * keys in another way, so that it learns of what happens to the keys after them. As soon as it
   * does, be it upon the subscription, it emits once, for what happened before.
   *
   * <p>A hint may come in any thread, which must not be blocked. Whoever has requested none when it
   * comes may miss it.
   *
   * @param keys the keys somebody waits for
   * @return an element, the keys, whenever one of them may have become free; never ends by itself
   */
  default Flux<LockKeys> wakeUps(LockKeys keys) {
    return Flux.never();
  }

  /**
   * How the store is, asked anew: for those who watch over it. By default empty, for stores that
   * have nothing to tell.
   *
   * @return that all is well, or {@link StoreFailure} when the store cannot be reached; the time
   *     until then is that of one round trip
   */
  default Mono<StoreHealth> health() {
    return Mono.empty();
  }

  /**
   * Told that somebody has waited in vain for the answer to a call. A store whose connection may be
   * dead without anybody having noticed, as it has answered nothing at all for that long though it
   * was asked, gives it up: calls under way end then, and later ones go over a new one. One slow
   * answer among others is no reason. By default nothing happens.
   *
   * @param timeout how long the engine lets one call take
   */
  default void overdue(Duration timeout) {}

  /**
   * Frees what the store holds of the machine's resources; locks are left alone. Calls after it
   * fail. Repeating it is harmless.
   *
   * @return completes when all is closed
   */
  Mono<Void> close();
}
