// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import io.monolock.simulation.world.Command.Kind;
import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.Incarnation;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.store.Transfer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;

/**
 * A store of one process on one server, as the one for Redis is: everything goes over the work
 * connection, only attempts for keys that somebody waits for over the wait connection, whose server
 * pushes what happens to them.
 */
public final class SimulatedStore implements LockStore {

  private final Link link;
  private final boolean pushes;
  private final boolean transfers;
  private final List<Waiting> waiting = new ArrayList<>();
  private boolean closed;

  private record Waiting(LockKeys keys, FluxSink<LockKeys> sink) {}

  /**
   * A store that has sent nothing yet.
   *
   * @param pushes whether the server can push
   * @param transfers whether keys are handed over in one step
   */
  public SimulatedStore(Link link, boolean pushes, boolean transfers) {
    this.link = link;
    this.pushes = pushes;
    this.transfers = transfers;
    link.wait.listen(this::wakeAll, this::wake);
  }

  private <T> Mono<T> call(
      Connection connection,
      Kind kind,
      LockKeys keys,
      String token,
      Duration time,
      Function<Connection, @Nullable Object> script) {
    return call(connection, new Command(kind, keys, token, "", time, link.process, script));
  }

  @SuppressWarnings("unchecked") // each script answers what its command is to answer
  private <T> Mono<T> call(Connection connection, Command command) {
    return (Mono<T>)
        Mono.create(
            sink -> {
              if (closed) {
                sink.error(
                    new StoreFailure(Reason.UNAVAILABLE, false, "the store is closed", null));
                return;
              }
              link.witness.sent(command);
              connection.send(command, sink);
            });
  }

  private Scripts scripts() {
    return link.server.scripts();
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return Mono.defer(
        () -> {
          boolean isWaiter = waiting.stream().anyMatch(one -> one.keys.equals(keys)) && openWait();
          return call(
              isWaiter ? link.wait : link.work,
              Kind.ACQUIRE,
              keys,
              token,
              ttl,
              over ->
                  scripts().acquire(keys, token, metadata, ttl, fenced, isWaiter ? over : null));
        });
  }

  private boolean openWait() {
    link.wait.open();
    return pushes && link.wait.isOpen();
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return call(
        link.work, Kind.EXTEND, keys, token, ttl, any -> scripts().extend(keys, token, ttl));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return call(
        link.work,
        Kind.RELEASE,
        keys,
        token,
        keepFor,
        any -> scripts().release(keys, token, keepFor));
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return call(
        link.work,
        Kind.REMAINING,
        keys,
        token,
        Duration.ZERO,
        any -> scripts().remaining(keys, token));
  }

  @Override
  public Mono<Transfer> transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    if (!transfers) {
      return LockStore.super.transfer(keys, from, to, metadata, ttl, fenced);
    }
    Command command =
        new Command(
            Kind.TRANSFER,
            keys,
            from,
            to,
            ttl,
            link.process,
            any -> scripts().transfer(keys, from, to, metadata, ttl, fenced));
    return this.<Grant>call(link.work, command)
        .map(grant -> new Transfer(true, grant))
        .switchIfEmpty(
            Mono.defer(
                () ->
                    acquire(keys, to, metadata, ttl, fenced)
                        .map(grant -> new Transfer(false, grant))));
  }

  @Override
  public Mono<Boolean> raiseFence(LockKeys keys, String token, long number) {
    return call(
        link.work,
        Kind.RAISE_FENCE,
        keys,
        token,
        Duration.ZERO,
        any -> scripts().raiseFence(keys, token, number));
  }

  @Override
  public Mono<Incarnation> incarnation() {
    return call(
        link.work,
        Kind.INCARNATION,
        LockKeys.of("incarnation"),
        "",
        Duration.ZERO,
        any -> link.server.incarnation());
  }

  @Override
  public Mono<Holder> inspect(String key) {
    return call(
        link.work,
        Kind.INSPECT,
        LockKeys.of(key),
        "",
        Duration.ZERO,
        any -> scripts().inspect(key));
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return call(
        link.work,
        Kind.FORCE_RELEASE,
        LockKeys.of(key),
        "",
        Duration.ZERO,
        any -> scripts().forceRelease(key));
  }

  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    if (!pushes) {
      return Flux.never();
    }
    return Flux.create(
        sink -> {
          Waiting newcomer = new Waiting(keys, sink);
          waiting.add(newcomer);
          sink.onDispose(() -> waiting.remove(newcomer));
          if (openWait()) {
            sink.next(keys);
          }
        },
        FluxSink.OverflowStrategy.LATEST);
  }

  private void wakeAll() {
    List.copyOf(waiting).forEach(one -> one.sink.next(one.keys));
  }

  private void wake(String key) {
    for (Waiting one : List.copyOf(waiting)) {
      if (one.keys.asSet().contains(key)) {
        one.sink.next(one.keys);
      }
    }
  }

  @Override
  public void overdue(Duration timeout) {
    link.work.overdue(timeout.toNanos());
    link.wait.overdue(timeout.toNanos());
  }

  @Override
  public Mono<Void> close() {
    return Mono.fromRunnable(
        () -> {
          closed = true;
          link.work.cut();
          link.wait.cut();
        });
  }

  /** Whether nothing is on its way, and nobody waits for pushes. */
  public boolean isIdle() {
    return link.work.isIdle() && link.wait.isIdle() && waiting.isEmpty();
  }
}
