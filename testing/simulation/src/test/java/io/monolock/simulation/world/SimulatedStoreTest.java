// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.Incarnation;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import io.monolock.store.Transfer;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract on a simulated server, whose time passes at least as fast as that of the tests. */
class SimulatedStoreTest implements LockStoreContract {

  private final PumpedStore store = new PumpedStore();

  @Override
  public LockStore store() {
    return store;
  }

  /** Lets the world happen until a call is answered, for one caller at a time. */
  private static final class PumpedStore implements LockStore {

    private static final Link.Speed SPEED = new Link.Speed(1_000, 100_000, 0, false);

    private final World world = new World(new Story(false));
    private final SplittableRandom random = new SplittableRandom(1);
    private final Witness nobody = new Witness() {};
    private final SimulatedProcess process = new SimulatedProcess(world, "p", 1, 0, random);
    private final Server server = new Server(world, nobody, "s", 1, random);
    private final LockStore store =
        new SimulatedStore(new Link(world, process, server, nobody, SPEED, random), true, true);
    private final long begunAt = System.nanoTime();

    private <T> Mono<T> pumped(Mono<T> call) {
      return Mono.create(
          sink -> {
            synchronized (world) {
              world.runUntil(System.nanoTime() - begunAt);
              AtomicBoolean over = new AtomicBoolean();
              Mono<T> watched = call.doFinally(any -> over.set(true));
              watched.subscribe(sink::success, sink::error, sink::success);
              while (!over.get() && world.step()) {
                // until it is answered
              }
            }
          });
    }

    @Override
    public Mono<Grant> acquire(
        LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
      return pumped(store.acquire(keys, token, metadata, ttl, fenced));
    }

    @Override
    public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
      return pumped(store.extend(keys, token, ttl));
    }

    @Override
    public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
      return pumped(store.release(keys, token, keepFor));
    }

    @Override
    public Mono<Duration> remaining(LockKeys keys, String token) {
      return pumped(store.remaining(keys, token));
    }

    @Override
    public Mono<Transfer> transfer(
        LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
      return pumped(store.transfer(keys, from, to, metadata, ttl, fenced));
    }

    @Override
    public Mono<Boolean> raiseFence(LockKeys keys, String token, long number) {
      return pumped(store.raiseFence(keys, token, number));
    }

    @Override
    public Mono<Incarnation> incarnation() {
      return pumped(store.incarnation());
    }

    @Override
    public Mono<Holder> inspect(String key) {
      return pumped(store.inspect(key));
    }

    @Override
    public Mono<Boolean> forceRelease(String key) {
      return pumped(store.forceRelease(key));
    }

    @Override
    public Flux<LockKeys> wakeUps(LockKeys keys) {
      return store.wakeUps(keys);
    }

    @Override
    public Mono<Void> close() {
      return pumped(store.close());
    }
  }
}
