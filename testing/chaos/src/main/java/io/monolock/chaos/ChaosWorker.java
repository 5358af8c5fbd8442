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

/** Acquires and releases locks, one after the other, until the run is over. */
final class ChaosWorker implements Runnable {

  /** More than any call may take. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final String name;
  private final Random random;
  private final ReactiveLocker locker;
  private final ChaosTopology topology;
  private final Breakage breakage;
  private final Journal journal;
  private final HandleWatcher watcher;
  private final BooleanSupplier isOver;

  ChaosWorker(
      String name,
      Random random,
      ReactiveLocker locker,
      ChaosTopology topology,
      Breakage breakage,
      Journal journal,
      HandleWatcher watcher,
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
        CallPlan plan = CallPlan.random(random, topology, breakage);
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

  private void runInScope(String call, CallPlan plan) throws InterruptedException {
    boolean isMany = plan.way() == CallPlan.Way.SCOPE_OF_MANY;
    RecordingSubscriber<Long> caller = recorder(call, plan, isMany);
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

  private Mono<Long> oneUnder(Lock lock, String call, CallPlan plan) {
    HandleWatch watch = watcher.watch(call, lock, plan.options().ttl(), true);
    return Mono.delay(plan.hold()).doOnTerminate(watch::end).doOnCancel(watch::end);
  }

  private Flux<Long> manyUnder(Lock lock, String call, CallPlan plan) {
    HandleWatch watch = watcher.watch(call, lock, plan.options().ttl(), true);
    return Flux.interval(plan.hold().dividedBy(3).plusMillis(1))
        .take(3)
        .doOnTerminate(watch::end)
        .doOnCancel(watch::end);
  }

  private void runWithHandle(String call, CallPlan plan) throws InterruptedException {
    RecordingSubscriber<Lock> caller = recorder(call, plan, false);
    handle(plan).subscribe(caller);
    awaitOrCancel(caller, plan);
    Lock lock = caller.take();
    if (lock == null) {
      return;
    }
    hold(lock, call, plan);
    RecordingSubscriber<Boolean> releaser =
        new RecordingSubscriber<>(journal, call + "-release", "release", false);
    lock.release().subscribe(releaser);
    var unused = releaser.await(TIMEOUT);
  }

  private Mono<Lock> handle(CallPlan plan) {
    Mono<Lock> handle =
        plan.way() == CallPlan.Way.TRIED_HANDLE
            ? locker.tryAcquire(plan.keys(), plan.options())
            : locker.acquire(plan.keys(), plan.options());
    return breakage == Breakage.DEADLINE
        ? handle.map(lock -> LateDeadline.of(lock, plan.options().ttl()))
        : handle;
  }

  private void hold(Lock lock, String call, CallPlan plan) throws InterruptedException {
    boolean isKept = plan.way() == CallPlan.Way.KEPT_HANDLE;
    HandleWatch watch = watcher.watch(call, lock, plan.options().ttl(), isKept);
    if (isKept) {
      var unused =
          Mono.delay(plan.hold())
              .or(lock.keepAlive())
              .doOnTerminate(watch::end)
              .onErrorComplete()
              .block(TIMEOUT);
    } else if (plan.way() == CallPlan.Way.FORGOTTEN_HANDLE) {
      Thread.sleep(plan.hold().toMillis());
    } else {
      long end = System.nanoTime() + plan.hold().toNanos();
      while (watch.isValid() && System.nanoTime() - end < 0) {
        Thread.sleep(1);
      }
    }
    watch.end();
  }

  private <T> RecordingSubscriber<T> recorder(String call, CallPlan plan, boolean isMany) {
    return new RecordingSubscriber<>(
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

  private static void awaitOrCancel(RecordingSubscriber<?> caller, CallPlan plan)
      throws InterruptedException {
    @Nullable Duration cancelAfter = plan.cancelAfter().orElse(null);
    if (cancelAfter == null) {
      var unused = caller.await(TIMEOUT);
    } else if (!caller.await(cancelAfter)) {
      caller.cancel();
    }
  }
}
