// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.util.context.ContextView;

/**
 * How a scope is nested in what its flow holds: which of its keys are held already and by which
 * locks, and which are missing.
 */
final class Nesting {

  /** Keys of a scope that one lock holds. The lock is one of the locker's own, not a nested one. */
  record Part(Lock lock, Set<String> keys) {}

  private final List<Part> held;
  private final Set<String> keys;
  private final Set<String> missing;

  private Nesting(Set<String> keys, List<Part> held, Set<String> missing) {
    this.keys = keys;
    this.held = held;
    this.missing = missing;
  }

  /** Throws {@link IllegalStateException} when it cannot be nested as the options ask. */
  static Nesting of(
      ContextView context, ReactiveLocker locker, Set<String> keys, LockOptions options) {
    HeldLocks flow = HeldLocks.of(context);
    Map<Lock, Set<String>> held = new LinkedHashMap<>();
    Set<String> missing = new TreeSet<>();
    for (String key : keys) {
      Optional<Lock> lock = flow.validOn(key, locker).map(found -> NestedLock.holder(found, key));
      lock.map(found -> held.computeIfAbsent(found, first -> new TreeSet<>()))
          .orElse(missing)
          .add(key);
    }
    List<Part> parts = new ArrayList<>();
    held.forEach((lock, some) -> parts.add(new Part(lock, Set.copyOf(some))));
    Nesting nesting = new Nesting(keys, parts, missing);
    nesting.check(options);
    return nesting;
  }

  private void check(LockOptions options) {
    if (isNone()) {
      return;
    }
    if (options.fenced() && !(isComplete() && hasOneFencingToken())) {
      throw new IllegalStateException(
          "a nested scope on "
              + keys
              + " has a fencing token only if one lock of the flow holds all of these keys and is"
              + " fenced: take them all, fenced, in the outer scope, or nest without fenced");
    }
    if (options.token().filter(token -> !areHeldBy(token)).isPresent()) {
      throw new IllegalStateException(
          "the flow holds keys of "
              + keys
              + " with another token than the one given: nest without a token, or give the outer"
              + " scope the same");
    }
  }

  boolean isNone() {
    return held.isEmpty();
  }

  boolean isComplete() {
    return missing.isEmpty();
  }

  Set<String> missing() {
    return missing;
  }

  private boolean hasOneFencingToken() {
    return held.size() == 1 && held.get(0).lock().fencingToken().isPresent();
  }

  private boolean areHeldBy(String token) {
    return held.stream().allMatch(part -> part.lock().token().equals(token));
  }

  /** The handle of a scope whose keys are all held. */
  NestedLock lock() {
    return new NestedLock(keys, Optional.empty(), held);
  }

  /** The handle of a scope that took the missing keys for itself. */
  NestedLock lock(Lock own) {
    return new NestedLock(keys, Optional.of(new Part(own, own.keys())), held);
  }

  /** A body that ends when one of the outer locks does; the scope's own part has its own guard. */
  <T> Flux<T> whileHeld(Publisher<T> body) {
    return whileHeld(held, body);
  }

  static <T> Flux<T> whileHeld(List<Part> parts, Publisher<T> body) {
    Flux<T> guarded = Flux.from(body);
    for (Part part : parts) {
      guarded = part.lock().whileHeldMany(guarded);
    }
    return guarded;
  }
}
