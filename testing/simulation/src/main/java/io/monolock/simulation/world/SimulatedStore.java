// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import io.monolock.simulation.world.Command.Kind;
import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.store.Transfer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;

/**
 * A store of one process on one server, as the one for Redis is: everything goes over the work
 * connection, only attempts for keys with a waiter over the wait connection, whose server pushes
 * what happens to them.
 */
public final class SimulatedStore implements LockStore {

  /**
   * What not every store can do, or does.
   *
   * @param pushes whether the server can push
   * @param transfers whether keys are handed over in one step
   * @param isReplicated whether a grant counts only once a replica has it
   * @param closesSilently whether calls under way are never answered once it is closed
   */
  public record Abilities(
      boolean pushes, boolean transfers, boolean isReplicated, boolean closesSilently) {}

  private final Link link;
  private final Abilities abilities;
  private final List<Waiting> waiting = new ArrayList<>();
  private boolean isMember;
  private boolean closed;

  private record Waiting(LockKeys keys, FluxSink<LockKeys> sink) {}

  /** A store that has sent nothing yet. */
  public SimulatedStore(Link link, Abilities abilities) {
    this.link = link;
    this.abilities = abilities;
    link.wait.listen(() -> wake(null), this::wake);
  }

  private <T> Mono<T> call(
      Kind kind,
      LockKeys keys,
      String token,
      Duration time,
      Function<Scripts, @Nullable Object> script) {
    Command command =
        new Command(
            kind, keys, token, "", time, link.process, any -> script.apply(link.server.scripts()));
    return call(link.work, command);
  }

  @SuppressWarnings("unchecked") // each script answers what its command is to answer
  private <T> Mono<T> call(Connection connection, Command command) {
    return (Mono<T>)
        Mono.create(
            sink -> {
              if (closed) {
                sink.error(failure(Reason.UNAVAILABLE, false, "the store is closed"));
                return;
              }
              link.witness.sent(command);
              connection.send(command, sink);
            });
  }

  private static StoreFailure failure(Reason reason, boolean isTransient, String message) {
    return new StoreFailure(reason, isTransient, message, null);
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    Mono<Grant> attempt =
        Mono.defer(
            () -> {
              boolean isWaiter = isWaitedFor(keys) && canPush();
              return call(
                  isWaiter ? link.wait : link.work,
                  new Command(
                      Kind.ACQUIRE,
                      keys,
                      token,
                      "",
                      ttl,
                      link.process,
                      over ->
                          witnessed(
                              link.server
                                  .scripts()
                                  .acquire(
                                      keys,
                                      token,
                                      metadata,
                                      ttl,
                                      fenced,
                                      isWaiter ? over : null))));
            });
    return abilities.isReplicated ? attempt.flatMap(grant -> whenReplicated(keys, grant)) : attempt;
  }

  /** A grant that no replica has does not count. */
  private Mono<Grant> whenReplicated(LockKeys keys, Grant grant) {
    if (grant instanceof Grant.Busy) {
      return Mono.just(grant);
    }
    return this.<Boolean>call(Kind.WAIT, keys, "", Duration.ZERO, any -> link.server.isReplicated())
        .onErrorReturn(false)
        .flatMap(
            reached ->
                reached
                    ? Mono.just(grant)
                    : Mono.error(failure(Reason.NOT_REPLICATED, true, "no replica")));
  }

  private boolean isWaitedFor(LockKeys keys) {
    for (Waiting one : waiting) {
      if (one.keys.equals(keys)) {
        return true;
      }
    }
    return false;
  }

  private boolean canPush() {
    link.wait.open();
    return abilities.pushes && link.wait.isOpen();
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return call(Kind.EXTEND, keys, token, ttl, run -> run.extend(keys, token, ttl));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return call(Kind.RELEASE, keys, token, keepFor, run -> run.release(keys, token, keepFor));
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return call(Kind.REMAINING, keys, token, Duration.ZERO, run -> run.remaining(keys, token));
  }

  @Override
  public Mono<Transfer> transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    if (!abilities.transfers) {
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
            any -> link.server.scripts().transfer(keys, from, to, metadata, ttl, fenced));
    Mono<Grant> handedOver = call(link.work, command);
    return (abilities.isReplicated
            ? handedOver.flatMap(grant -> whenReplicated(keys, grant))
            : handedOver)
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
        Kind.RAISE_FENCE, keys, token, Duration.ZERO, run -> run.raiseFence(keys, token, number));
  }

  @Override
  public void becomeMember() {
    isMember = true;
  }

  @Override
  public Mono<Void> declareNew() {
    LockKeys none = LockKeys.of("none");
    return call(Kind.DECLARE_NEW, none, "", Duration.ZERO, any -> link.server.declareNew()).then();
  }

  private Grant witnessed(Grant grant) {
    return isMember && grant instanceof Grant.Granted granted
        ? new Grant.Granted(
            granted.fresh(), granted.fencingToken(), Optional.of(link.server.incarnation()))
        : grant;
  }

  @Override
  public Mono<Holder> inspect(String key) {
    return call(Kind.INSPECT, LockKeys.of(key), "", Duration.ZERO, run -> run.inspect(key));
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return call(
        Kind.FORCE_RELEASE, LockKeys.of(key), "", Duration.ZERO, run -> run.forceRelease(key));
  }

  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    if (!abilities.pushes) {
      return Flux.never();
    }
    return Flux.create(
        sink -> {
          Waiting newcomer = new Waiting(keys, sink);
          waiting.add(newcomer);
          sink.onDispose(() -> waiting.remove(newcomer));
          if (canPush()) {
            sink.next(keys);
          }
        },
        FluxSink.OverflowStrategy.LATEST);
  }

  private void wake(@Nullable String key) {
    for (Waiting one : List.copyOf(waiting)) {
      if (key == null || one.keys.asSet().contains(key)) {
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
          if (abilities.closesSilently) {
            link.work.forget();
            link.wait.forget();
          } else {
            link.work.cut();
            link.wait.cut();
          }
        });
  }
}
