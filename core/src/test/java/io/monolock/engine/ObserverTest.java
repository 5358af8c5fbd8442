// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.fails;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockObserver;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.StoreProblem;
import io.monolock.test.CapturedLog;
import io.monolock.test.Race;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

class ObserverTest {

  private static final Duration TTL = Duration.ofSeconds(9);

  private final VirtualLocker v = new VirtualLocker();
  private final RecordingObserver observed = v.observed;

  @Test
  void oneLockIsReportedFromItsGrantToItsRelease() {
    v.run(v.locker.withLock("a", TTL, Mono.delay(Duration.ofSeconds(4), v.time)));

    v.pass(Duration.ofSeconds(4));

    assertThat(observed.events)
        .containsExactly("acquired [a] attempts=1", "refreshed [a]", "released [a] wasOurs=true");
    assertThat(observed.ids).containsOnly(observed.ids.get(0));
    assertThat(observed.durations).containsExactly(Duration.ZERO, Duration.ofSeconds(4));
  }

  @Test
  void idsDistinguishAcquisitions() {
    v.get(v.locker.acquire("a", TTL));
    v.get(v.locker.acquire("b", TTL));

    assertThat(observed.ids).doesNotHaveDuplicates().hasSize(2);
  }

  @Test
  void waitingIsReportedOnceAndBeforeTheGrant() {
    Lock other = v.get(v.another().acquire("a", TTL));
    v.run(v.locker.acquire("a", TTL));
    v.pass(Duration.ofSeconds(3));
    other.release().subscribe();

    v.pass(Duration.ofSeconds(2));

    assertThat(observed.events).hasSize(2);
    assertThat(observed.events.get(0)).isEqualTo("waiting [a]");
    assertThat(observed.events.get(1)).startsWith("acquired [a]");
    assertThat(observed.durations.get(0)).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5));
  }

  @Test
  void failedRefreshIsReportedWithItsReason() {
    v.store.next(StoreOperation.EXTEND, fails(StoreProblem.Reason.SERVER_STATE, true));
    v.run(v.get(v.locker.acquire("a", TTL)).keepAlive());

    v.pass(TTL.dividedBy(2));

    assertThat(observed.events).contains("refreshFailed [a]", "refreshed [a]");
    assertThat(observed.reasons)
        .singleElement()
        .isInstanceOfSatisfying(
            LockStoreException.class,
            e -> assertThat(e.reason()).isEqualTo(StoreProblem.Reason.SERVER_STATE));
  }

  @Test
  void lossIsReportedBeforeTheReleaseThatFollowsIt() {
    v.run(v.locker.withLock("a", TTL, Mono.never()));
    v.get(v.locker.forceRelease("a"));

    v.pass(TTL.dividedBy(3));

    assertThat(observed.events)
        .containsExactly("acquired [a] attempts=1", "lost [a] TAKEN", "released [a] wasOurs=false");
  }

  @Test
  void grantThatIsNotDeliveredIsReportedAsAbandoned() {
    ScriptedStore.HeldBack held = ScriptedStore.HeldBack.answer();
    v.store.next(StoreOperation.ACQUIRE, held);
    v.run(v.locker.acquire("a", TTL)).cancel();

    held.letThrough();
    v.time.advanceTime();

    assertThat(observed.events).containsExactly("notAcquired [a] attempts=1", "abandoned [a]");
  }

  @Test
  void whatTheObserverThrowsIsLoggedAndGoesNoFurther() {
    VirtualLocker v =
        new VirtualLocker(
            b ->
                b.observer(
                    new LockObserver() {
                      @Override
                      public void acquired(
                          long id, Set<String> keys, Duration waited, int attempts) {
                        throw new AssertionError("by test");
                      }
                    }));

    try (CapturedLog log = new CapturedLog()) {
      assertThat(v.get(v.locker.withLock("a", TTL, Mono.just(1)))).isEqualTo(1);
      assertThat(log.lines("WARN")).singleElement().asString().contains("observer");
    }
  }

  @RepeatedTest(20)
  void callsForOneLockAreInOrderOnRealThreads() throws Exception {
    int locks = 100;
    CountDownLatch released = new CountDownLatch(locks);
    List<String> calls = new CopyOnWriteArrayList<>();
    ReactiveLocker locker =
        ReactiveLocker.builder(InMemoryLockStore.create())
            .publishOn(Schedulers.parallel())
            .observer(
                new LockObserver() {
                  @Override
                  public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
                    calls.add(keys + " acquired");
                  }

                  @Override
                  public void released(long id, Set<String> keys, Duration held, boolean wasOurs) {
                    calls.add(keys + " released");
                    released.countDown();
                  }
                })
            .build();

    Flux.range(0, locks).flatMap(i -> locker.withLock("k" + i, TTL, Mono.just(i))).blockLast();

    assertThat(released.await(5, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < locks; i++) {
      String key = "[k" + i + "]";
      assertThat(calls.stream().filter(call -> call.startsWith(key + " ")))
          .containsExactly(key + " acquired", key + " released");
    }
    locker.close().block();
  }

  @Test
  void askedIsTheFirstCallAndHasTheContextOfTheSubscriber() {
    List<String> calls = new CopyOnWriteArrayList<>();
    VirtualLocker v =
        new VirtualLocker(
            builder ->
                builder.observer(
                    new LockObserver() {
                      @Override
                      public void asked(long id, Set<String> keys, ContextView context) {
                        calls.add("asked " + id + keys + context.get("trace"));
                      }

                      @Override
                      public void acquired(
                          long id, Set<String> keys, Duration waited, int attempts) {
                        calls.add("acquired " + id + keys);
                      }
                    }));

    v.run(v.locker.acquire("a", TTL).contextWrite(Context.of("trace", "t1")));

    assertThat(calls).containsExactly("asked 1[a]t1", "acquired 1[a]");
  }

  @Test
  void endOfAnAcquisitionIsReportedAfterItsBeginningAlsoWhenItIsCancelledMeanwhile() {
    Map<Long, String> last = new ConcurrentHashMap<>();
    List<String> wrong = new CopyOnWriteArrayList<>();
    ReactiveLocker locker =
        ReactiveLocker.builder(InMemoryLockStore.create())
            .publishOn(Schedulers.immediate())
            .observer(
                new LockObserver() {
                  @Override
                  public void asked(long id, Set<String> keys, ContextView context) {
                    last.put(id, "asked");
                  }

                  @Override
                  public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
                    end(id, "acquired");
                  }

                  @Override
                  public void notAcquired(
                      long id, Set<String> keys, Duration waited, int attempts, Throwable reason) {
                    end(id, "notAcquired");
                  }

                  private void end(long id, String what) {
                    String before = last.put(id, what);
                    if (!"asked".equals(before)) {
                      wrong.add(what + " after " + before);
                    }
                  }
                })
            .build();

    Race.run(
        20_000,
        () -> {
          Acquiring acquiring = new Acquiring();
          locker.acquire("k", TTL).subscribe(acquiring);
          return Race.between(acquiring::request, acquiring::cancel)
              .thenCheck(acquiring::releaseWhatCame);
        });

    assertThat(wrong).isEmpty();
    assertThat(last.values()).doesNotContain("asked");
    locker.close().block();
  }

  private static final class Acquiring extends BaseSubscriber<Lock> {
    private volatile Lock lock;

    @Override
    protected void hookOnSubscribe(Subscription subscription) {}

    @Override
    protected void hookOnNext(Lock value) {
      lock = value;
    }

    void request() {
      request(1);
    }

    void releaseWhatCame() {
      if (lock != null) {
        lock.release().block();
      }
    }
  }

  @Test
  void cancellationIsReportedAsSuch() {
    v.get(v.another().acquire("a", TTL));
    v.run(v.locker.acquire("a", TTL)).cancel();
    v.run(v.locker.acquire("a", LockOptions.of(TTL).waitAtMost(Duration.ZERO)));
    v.time.advanceTime();

    assertThat(observed.reasons)
        .extracting(reason -> ((LockNotAcquiredException) reason).isCancelled())
        .containsExactly(true, false);
  }
}
