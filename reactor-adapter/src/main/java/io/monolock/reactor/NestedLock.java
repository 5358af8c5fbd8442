// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.reactor.Nesting.Part;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The handle of a scope whose keys are held by other locks of the flow, all or some of them.
 *
 * <p>It ends when it is released or its scope ends. That frees only what was taken for this scope;
 * the other locks have owners of their own.
 */
final class NestedLock implements Lock {

  private final Set<String> keys;
  private final Optional<Part> own;

  /** The own part first, then those of outer locks. */
  private final List<Part> parts;

  private final Sinks.Empty<Void> ended = Sinks.empty();

  /** Null until it has ended; then whether it was valid until then. */
  private final AtomicReference<@Nullable Boolean> wasValid = new AtomicReference<>();

  NestedLock(Set<String> keys, Optional<Part> own, List<Part> outer) {
    this.keys = keys;
    this.own = own;
    this.parts = Stream.concat(own.stream(), outer.stream()).toList();
  }

  /** The locker's own lock behind a handle that holds a key. */
  static Lock holder(Lock lock, String key) {
    return lock instanceof NestedLock nested
        ? nested.parts.stream()
            .filter(part -> part.keys().contains(key))
            .findFirst()
            .orElseThrow()
            .lock()
        : lock;
  }

  @Override
  public Set<String> keys() {
    return keys;
  }

  @Override
  public String token() {
    return parts.get(0).lock().token();
  }

  @Override
  public String metadata() {
    return parts.get(0).lock().metadata();
  }

  @Override
  public OptionalLong fencingToken() {
    return parts.size() == 1 ? parts.get(0).lock().fencingToken() : OptionalLong.empty();
  }

  @Override
  public Duration remaining() {
    return isEnded()
        ? Duration.ZERO
        : shortest(parts.stream().map(part -> part.lock().remaining()));
  }

  private static Duration shortest(Stream<Duration> durations) {
    return durations.min(Comparator.naturalOrder()).orElse(Duration.ZERO);
  }

  @Override
  public boolean isValid() {
    return !isEnded() && arePartsValid();
  }

  private boolean isEnded() {
    return wasValid.get() != null;
  }

  private boolean arePartsValid() {
    return parts.stream().allMatch(part -> part.lock().isValid());
  }

  @Override
  public Mono<Duration> ttl() {
    return Mono.defer(
        () ->
            isEnded()
                ? Mono.just(Duration.ZERO)
                : Flux.fromIterable(parts)
                    .concatMap(part -> part.lock().ttl())
                    .collectList()
                    .map(ttls -> shortest(ttls.stream())));
  }

  @Override
  public Mono<Void> extend(Duration ttl) {
    return extend(keys, ttl);
  }

  /** Assembled part by part at once, so that each checks its input now. */
  @Override
  public Mono<Void> extend(Collection<String> some, Duration ttl) {
    Set<String> wanted = LockKeys.of(some).asSet();
    if (!keys.containsAll(wanted)) {
      throw new IllegalArgumentException(
          "keys to extend must be among those of the lock, " + keys + ", was " + wanted);
    }
    List<Mono<Void>> extensions =
        parts.stream()
            .filter(part -> part.keys().stream().anyMatch(wanted::contains))
            .map(part -> part.lock().extend(common(part.keys(), wanted), ttl))
            .toList();
    return Mono.defer(
        () -> isEnded() && own.isEmpty() ? Mono.error(released()) : Flux.concat(extensions).then());
  }

  private static List<String> common(Set<String> keys, Set<String> others) {
    return keys.stream().filter(others::contains).toList();
  }

  /** Ends the handle, and frees what was taken for its scope. */
  @Override
  public Mono<Boolean> release() {
    return Mono.defer(
        () -> {
          boolean wasOurs = end();
          return own.map(part -> part.lock().release().map(free -> free && wasOurs))
              .orElseGet(() -> Mono.just(wasOurs));
        });
  }

  /** Whether it was valid when it ended; a repeat gives the first outcome. */
  boolean end() {
    if (wasValid.compareAndSet(null, arePartsValid())) {
      ended.tryEmitEmpty();
    }
    return Boolean.TRUE.equals(wasValid.get());
  }

  @Override
  public <T> Mono<T> keepAlive() {
    Stream<Mono<T>> losses = parts.stream().map(part -> part.lock().keepAlive());
    return Mono.firstWithSignal(Stream.concat(losses, Stream.of(this.<T>endError())).toList());
  }

  /** An own part signals its release itself, and an outer lock its loss. */
  private <T> Mono<T> endError() {
    return own.isPresent()
        ? Mono.never()
        : ended
            .asMono()
            .then(Mono.defer(() -> arePartsValid() ? Mono.error(released()) : Mono.never()));
  }

  private LockLostException released() {
    return new LockLostException(keys, Reason.RELEASED);
  }

  @Override
  public <T> Mono<T> whileHeld(Mono<T> body) {
    return whileHeldMany(body).singleOrEmpty();
  }

  @Override
  public <T> Flux<T> whileHeldMany(Publisher<T> body) {
    Objects.requireNonNull(body, "body");
    return Nesting.whileHeld(parts, own.isPresent() ? body : untilEnd(body));
  }

  private <T> Flux<T> untilEnd(Publisher<T> body) {
    Mono<T> end = Mono.defer(() -> isEnded() ? Mono.error(released()) : Mono.empty());
    return Flux.defer(
        () -> isEnded() ? end : Flux.from(body).takeUntilOther(ended.asMono()).concatWith(end));
  }

  @Override
  public String toString() {
    return "Lock[keys=%s, nested, remaining=%s]".formatted(keys, remaining());
  }
}
