// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.Lock;
import io.monolock.ReactiveLocker;
import java.time.Duration;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Takes and frees locks, one after the other, until it is told to stop. */
final class Worker implements Runnable {

  /** More than any call may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String name;
  private final Random random;
  private final ReactiveLocker locker;
  private final Topology topology;
  private final Breakage breakage;
  private final Journal journal;
  private final Watcher watcher;
  private final BooleanSupplier isOver;

  Worker(
      String name,
      Random random,
      ReactiveLocker locker,
      Topology topology,
      Breakage breakage,
      Journal journal,
      Watcher watcher,
      BooleanSupplier isOver) {
    this.name = name;
    this.random = random;
    this.locker = locker;
    this.topology = topology;
    this.breakage = breakage;
    this.journal = journal;
    this.watcher = watcher;
    this.isOver = isOver;
  }

  @Override
  public void run() {
    try {
      for (int number = 1; !isOver.getAsBoolean(); number++) {
        Plan plan = Plan.random(random, topology, breakage);
        String call = name + "-" + number;
        if (plan.way().isScope()) {
          runInScope(call, plan);
        } else {
          runWithHandle(call, plan);
        }
        Thread.sleep(random.nextInt(10));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void runInScope(String call, Plan plan) throws InterruptedException {
    boolean isMany = plan.way() == Plan.Way.SCOPE_OF_MANY;
    Recorder<Long> caller = recorder(call, plan, isMany);
    if (isMany) {
      locker
          .withLockMany(plan.keys(), plan.options(), lock -> manyUnder(lock, call, plan))
          .subscribe(caller);
    } else {
      locker
          .withLock(plan.keys(), plan.options(), lock -> oneUnder(lock, call, plan))
          .subscribe(caller);
    }
    awaitOrCancel(caller, plan);
  }

  private Mono<Long> oneUnder(Lock lock, String call, Plan plan) {
    Watch watch = watcher.watch(call, lock, plan.options().ttl(), true);
    return Mono.delay(plan.hold()).doOnTerminate(watch::end).doOnCancel(watch::end);
  }

  private Flux<Long> manyUnder(Lock lock, String call, Plan plan) {
    Watch watch = watcher.watch(call, lock, plan.options().ttl(), true);
    return Flux.interval(plan.hold().dividedBy(3).plusMillis(1))
        .take(3)
        .doOnTerminate(watch::end)
        .doOnCancel(watch::end);
  }

  private void runWithHandle(String call, Plan plan) throws InterruptedException {
    Recorder<Lock> caller = recorder(call, plan, false);
    handle(plan).subscribe(caller);
    awaitOrCancel(caller, plan);
    Lock lock = caller.take();
    if (lock == null) {
      return;
    }
    hold(lock, call, plan);
    Recorder<Boolean> releaser = new Recorder<>(journal, call + "-release", "release", false);
    lock.release().subscribe(releaser);
    var unused = releaser.await(PATIENCE);
  }

  private Mono<Lock> handle(Plan plan) {
    Mono<Lock> handle =
        plan.way() == Plan.Way.TRIED_HANDLE
            ? locker.tryAcquire(plan.keys(), plan.options())
            : locker.acquire(plan.keys(), plan.options());
    return breakage == Breakage.DEADLINE
        ? handle.map(lock -> LateDeadline.of(lock, plan.options().ttl()))
        : handle;
  }

  private void hold(Lock lock, String call, Plan plan) throws InterruptedException {
    boolean isKept = plan.way() == Plan.Way.KEPT_HANDLE;
    Watch watch = watcher.watch(call, lock, plan.options().ttl(), isKept);
    if (isKept) {
      var unused =
          Mono.delay(plan.hold())
              .or(lock.keepAlive())
              .doOnTerminate(watch::end)
              .onErrorComplete()
              .block(PATIENCE);
    } else if (plan.way() == Plan.Way.FORGOTTEN_HANDLE) {
      Thread.sleep(plan.hold().toMillis());
    } else {
      long end = System.nanoTime() + plan.hold().toNanos();
      while (watch.isValid() && System.nanoTime() - end < 0) {
        Thread.sleep(1);
      }
    }
    watch.end();
  }

  private <T> Recorder<T> recorder(String call, Plan plan, boolean isMany) {
    return new Recorder<>(
        journal,
        call,
        "%s of %s for %s, held for %s, %srefreshed%s"
            .formatted(
                plan.way(),
                plan.keys(),
                plan.options().ttl(),
                plan.hold(),
                plan.options().autoRefresh() ? "" : "not ",
                plan.options().finishOnCancel() ? ", finished when cancelled" : ""),
        isMany);
  }

  private static void awaitOrCancel(Recorder<?> caller, Plan plan) throws InterruptedException {
    @Nullable Duration cancelAfter = plan.cancelAfter().orElse(null);
    if (cancelAfter == null) {
      var unused = caller.await(PATIENCE);
    } else if (!caller.await(cancelAfter)) {
      caller.cancel();
    }
  }
}
