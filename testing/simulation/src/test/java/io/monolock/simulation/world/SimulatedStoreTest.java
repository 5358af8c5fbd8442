// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import io.monolock.store.Transfer;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * What a simulated server answers is what every store has to answer. Its time is real time here.
 */
class SimulatedStoreTest implements LockStoreContract {

  private static final Link.Speed SPEED = new Link.Speed(10_000, 100_000, 0, 1, false);

  private final Scheduler thread = Schedulers.newSingle("world");
  private final AtomicReference<Throwable> thrown = new AtomicReference<>();
  private final World world = new World(false, thrown::set);
  private final LockStore store = new OnThread(store(world), thread);

  private static LockStore store(World world) {
    SplittableRandom random = new SplittableRandom(1);
    SimulatedProcess process = new SimulatedProcess(world, "p1", 1, 0, random.split());
    Witness witness = new Witness() {};
    Server server = new Server(world, witness, "server1", 1, random.split());
    Link link = new Link(world, process, server, witness, SPEED, random.split());
    return new SimulatedStore(link, new SimulatedStore.Abilities(true, true, false, false));
  }

  @Override
  public LockStore store() {
    return store;
  }

  @BeforeEach
  void letTimePass() {
    long begin = System.nanoTime();
    var unused =
        thread.schedulePeriodically(
            () -> world.runUntil(System.nanoTime() - begin), 0, 500, TimeUnit.MICROSECONDS);
  }

  @AfterEach
  void nothingWasThrown() {
    thread.dispose();
    if (thrown.get() != null) {
      throw new AssertionError(thrown.get());
    }
  }

  /** Makes all calls on one thread, the one of the world. */
  private record OnThread(LockStore store, Scheduler thread) implements LockStore {

    private <T> Mono<T> on(Mono<T> call) {
      return call.subscribeOn(thread);
    }

    @Override
    public Mono<Grant> acquire(
        LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
      return on(store.acquire(keys, token, metadata, ttl, fenced));
    }

    @Override
    public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
      return on(store.extend(keys, token, ttl));
    }

    @Override
    public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
      return on(store.release(keys, token, keepFor));
    }

    @Override
    public Mono<Duration> remaining(LockKeys keys, String token) {
      return on(store.remaining(keys, token));
    }

    @Override
    public Mono<Transfer> transfer(
        LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
      return on(store.transfer(keys, from, to, metadata, ttl, fenced));
    }

    @Override
    public Mono<Boolean> raiseFence(LockKeys keys, String token, long number) {
      return on(store.raiseFence(keys, token, number));
    }

    @Override
    public Mono<Holder> inspect(String key) {
      return on(store.inspect(key));
    }

    @Override
    public Mono<Boolean> forceRelease(String key) {
      return on(store.forceRelease(key));
    }

    @Override
    public Flux<LockKeys> wakeUps(LockKeys keys) {
      return store.wakeUps(keys).subscribeOn(thread);
    }

    @Override
    public Mono<Void> close() {
      return on(store.close());
    }
  }
}
