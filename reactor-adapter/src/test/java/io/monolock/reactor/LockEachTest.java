// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static io.monolock.reactor.LockOperators.lockEach;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.test.DroppedSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.publisher.TestPublisher;

/** The elements are words such as {@code a1}: the letter is the key. */
@ExtendWith(DroppedSignals.class)
class LockEachTest {

  private static final Duration TTL = Duration.ofSeconds(9);
  private static final LockOptions OPTIONS = LockOptions.of(TTL);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final LockerInVirtualTime v = new LockerInVirtualTime();
  private final List<String> begun = new ArrayList<>();

  private static String key(String word) {
    return word.substring(0, 1);
  }

  private Mono<String> slow(String word) {
    begun.add(word);
    return Mono.delay(SECOND, v.time).thenReturn(word);
  }

  private Flux<String> each(Flux<String> words, int concurrency) {
    return words.transform(lockEach(v.locker, LockEachTest::key, OPTIONS, this::slow, concurrency));
  }

  @Test
  void lambdasNeedNoTypes() {
    Flux<Integer> lengths =
        Flux.just("a1", "b22")
            .transform(
                lockEach(v.locker, word -> key(word), TTL, word -> Mono.just(word.length()), 4));

    assertThat(v.run(lengths).values).containsExactlyInAnyOrder(2, 3);
  }

  @Test
  void elementsOfDifferentKeysAreInWorkAtTheSameTime() {
    SignalProbe<String> probe = v.run(each(Flux.just("a1", "b1", "c1"), 8));

    assertThat(begun).containsExactly("a1", "b1", "c1");
    assertThat(v.isFree("c")).isFalse();
    v.pass(SECOND);

    assertThat(probe.values).containsExactlyInAnyOrder("a1", "b1", "c1");
    assertThat(probe.end).isNotNull();
    assertThat(v.isFree("c")).isTrue();
  }

  @Test
  void elementsOfOneKeyAreInWorkOneAfterTheOther() {
    SignalProbe<String> probe = v.run(each(Flux.just("a1", "a2", "b1", "a3"), 8));

    assertThat(begun).containsExactly("a1", "b1");
    v.pass(SECOND);
    assertThat(begun).containsExactly("a1", "b1", "a2");
    v.pass(Duration.ofSeconds(2));

    assertThat(begun).containsExactly("a1", "b1", "a2", "a3");
    assertThat(probe.values).containsExactlyInAnyOrder("a1", "b1", "a2", "a3");
  }

  @Test
  void laterElementsOfABusyKeyAskTheStoreOnlyInTheirTurn() {
    v.run(each(Flux.just("a1", "a2", "a3"), 8));

    assertThat(v.store.calls).containsExactly("acquire [a]");
    v.pass(SECOND);

    assertThat(v.store.calls).containsExactly("acquire [a]", "release [a]", "acquire [a]");
  }

  @Test
  void notMoreThanTheConcurrencyAreInWork() {
    v.run(each(Flux.just("a1", "b1", "c1", "d1", "e1"), 2));

    assertThat(begun).containsExactly("a1", "b1");
    v.pass(SECOND);
    assertThat(begun).containsExactly("a1", "b1", "c1", "d1");
    v.pass(SECOND);

    assertThat(begun).hasSize(5);
  }

  @Test
  void busyKeyDoesNotStandInTheWayOfOthers() {
    v.run(each(Flux.just("a1", "a2", "a3", "a4", "b1"), 2));

    assertThat(begun).containsExactly("a1", "b1");
  }

  @Test
  void resultsOfOneKeyComeInOrderThoughTheyAreRequestedLate() {
    Flux<String> results =
        Flux.just("a1", "b1", "a2", "b2")
            .transform(
                lockEach(
                    v.locker,
                    LockEachTest::key,
                    OPTIONS,
                    word -> Flux.just(word + "x", word + "y", word + "z"),
                    8));
    SignalProbe<String> probe = v.run(results, 0);

    for (int i = 0; i < 12; i++) {
      probe.request(1);
      v.time.advanceTime();
    }

    assertThat(probe.values.stream().filter(word -> word.startsWith("a")))
        .containsExactly("a1x", "a1y", "a1z", "a2x", "a2y", "a2z");
    assertThat(probe.values).hasSize(12);
    assertThat(probe.end).isNotNull();
  }

  @Test
  void completionNeedsNoMoreDemandThanThereAreResults() {
    SignalProbe<String> probe = v.run(each(Flux.just("a1", "a2"), 8), 2);

    v.pass(Duration.ofSeconds(2));

    assertThat(probe.values).containsExactly("a1", "a2");
    assertThat(probe.end).isNotNull();
  }

  @Test
  void noMoreIsTakenInThanMayBeInWorkOrWait() {
    AtomicLong requested = new AtomicLong();
    Flux<String> many = Flux.range(0, 1_000).map(i -> "a" + i).doOnRequest(requested::addAndGet);

    v.run(each(many, 3), 0);
    assertThat(requested).hasValue(3 + 32);
    v.pass(SECOND);

    assertThat(requested).hasValue(3 + 32); // its result was not passed on yet
  }

  @Test
  void oneMoreIsTakenInForEachThatHasEnded() {
    AtomicLong requested = new AtomicLong();
    Flux<String> many = Flux.range(0, 1_000).map(i -> "a" + i).doOnRequest(requested::addAndGet);

    v.run(each(many, 100));
    assertThat(requested).hasValue(100 + 100);
    v.pass(Duration.ofSeconds(2));

    assertThat(requested).hasValue(100 + 100 + 2);
  }

  @Test
  void workIsAskedForMoreResultsOnlyAsTheyArePassedOn() {
    AtomicLong requested = new AtomicLong();
    Publisher<Integer> work = Flux.range(0, 1_000).doOnRequest(requested::addAndGet);
    Flux<Integer> results =
        Flux.just("a1").transform(lockEach(v.locker, LockEachTest::key, OPTIONS, any -> work, 8));

    SignalProbe<Integer> probe = v.run(results, 0);
    assertThat(requested).hasValue(32);
    probe.request(5);
    v.time.advanceTime();

    assertThat(requested).hasValue(32 + 5);
    assertThat(probe.values).hasSize(5);
  }

  @Test
  void emptySourceCompletes() {
    assertThat(v.run(each(Flux.empty(), 1)).end).isNotNull();
  }

  @Test
  void workWithoutResultsLetsTheNextOneOfItsKeyBegin() {
    Flux<String> results =
        Flux.just("a1", "a2")
            .transform(
                lockEach(v.locker, LockEachTest::key, OPTIONS, word -> slow(word).then(none()), 8));
    SignalProbe<String> probe = v.run(results);

    v.pass(Duration.ofSeconds(2));

    assertThat(begun).containsExactly("a1", "a2");
    assertThat(probe.end).isNotNull();
  }

  private static Mono<String> none() {
    return Mono.empty();
  }

  @Test
  void errorOfTheWorkEndsAllAndFreesAllLocks() {
    Exception own = new Exception("own");
    TestPublisher<String> words = TestPublisher.create();
    Flux<String> results =
        words
            .flux()
            .transform(
                lockEach(
                    v.locker,
                    LockEachTest::key,
                    OPTIONS,
                    word -> word.equals("b1") ? slow(word).then(Mono.error(own)) : Mono.never(),
                    8));
    SignalProbe<String> probe = v.run(results);
    words.next("a1", "a2", "b1");
    v.time.advanceTime();

    v.pass(SECOND);

    assertThat(probe.error).isSameAs(own);
    words.assertCancelled();
    assertThat(v.isFree("a")).isTrue();
    assertThat(v.isFree("b")).isTrue();
    assertThat(v.store.calls("acquire")).containsExactly("acquire [a]", "acquire [b]");
  }

  @Test
  void errorOfTheSourceEndsAllAndFreesAllLocks() {
    Exception own = new Exception("own");
    TestPublisher<String> words = TestPublisher.create();
    SignalProbe<String> probe = v.run(each(words.flux(), 8));
    words.next("a1");
    v.time.advanceTime();

    words.error(own);
    v.time.advanceTime();

    assertThat(probe.error).isSameAs(own);
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void lockThatCannotBeHadEndsAll() {
    v.run(v.another().acquire("b", OPTIONS));
    Flux<String> results =
        Flux.just("a1", "b1")
            .transform(
                lockEach(
                    v.locker,
                    LockEachTest::key,
                    OPTIONS.waitAtMost(Duration.ZERO),
                    any -> Mono.<String>never(),
                    8));

    SignalProbe<String> probe = v.run(results);

    assertThat(probe.error(LockNotAcquiredException.class).keys()).containsExactly("b");
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void lockThatIsLostEndsAll() {
    Flux<String> results =
        Flux.just("a1")
            .transform(
                lockEach(
                    v.locker,
                    LockEachTest::key,
                    OPTIONS.autoRefresh(false),
                    any -> Mono.<String>never(),
                    8));
    SignalProbe<String> probe = v.run(results);

    v.pass(TTL);

    probe.error(LockLostException.class);
  }

  @Test
  void cancelEndsAllAndFreesAllLocks() {
    TestPublisher<String> words = TestPublisher.create();
    List<Object> discarded = new ArrayList<>();
    SignalProbe<String> probe =
        v.run(each(words.flux(), 8).doOnDiscard(String.class, discarded::add));
    words.next("a1", "a2", "b1");
    v.time.advanceTime();

    v.cancel(probe);

    words.assertCancelled();
    assertThat(v.isFree("a")).isTrue();
    assertThat(v.isFree("b")).isTrue();
    v.pass(Duration.ofMinutes(1));
    assertThat(begun).containsExactly("a1", "b1");
    assertThat(discarded).containsExactly("a2");
  }

  @Test
  void resultsThatWereNotRequestedAreDiscardedUponCancel() {
    List<Object> discarded = new ArrayList<>();
    SignalProbe<String> probe =
        v.run(each(Flux.just("a1"), 8).doOnDiscard(String.class, discarded::add), 0);
    v.pass(SECOND);

    v.cancel(probe);

    assertThat(discarded).containsExactly("a1");
  }

  @Test
  void badKeyIsAnErrorAndFreesAllLocks() {
    for (String bad : new String[] {"", null}) {
      Flux<String> results =
          Flux.just("a1", "b1")
              .transform(
                  lockEach(
                      v.locker,
                      word -> word.equals("b1") ? bad : key(word),
                      OPTIONS,
                      this::slow,
                      8));

      v.run(results).error(IllegalArgumentException.class);
      assertThat(v.isFree("a")).isTrue();
    }
  }

  @Test
  @DisplayName("B124: an error that Reactor takes for fatal ends all and frees all locks")
  void keyFunctionThatThrowsEndsAllAndFreesAllLocks() {
    LinkageError fatal = new LinkageError("fatal");
    Flux<String> results =
        Flux.just("a1", "b1")
            .transform(
                lockEach(
                    v.locker,
                    word -> {
                      if (word.equals("b1")) {
                        throw fatal;
                      }
                      return key(word);
                    },
                    OPTIONS,
                    this::slow,
                    8));

    assertThat(v.run(results).error).isSameAs(fatal);
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void workThatIsNullIsAnErrorAndFreesTheLock() {
    Flux<String> results =
        Flux.just("a1")
            .transform(
                lockEach(v.locker, LockEachTest::key, OPTIONS, word -> (Mono<String>) null, 8));

    v.run(results).error(NullPointerException.class);
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void concurrencyOutOfRangeFailsAtTheCall() {
    for (int concurrency : new int[] {0, -1, 100_001}) {
      assertThatThrownBy(() -> each(Flux.empty(), concurrency))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("concurrency must be between 1 and 100,000, was " + concurrency);
    }
  }

  @Test
  void workFindsItsLockInItsContextAndTheContextOfTheSubscriber() {
    Flux<String> results =
        Flux.just("a1", "b1")
            .transform(
                lockEach(
                    v.locker,
                    LockEachTest::key,
                    OPTIONS,
                    word ->
                        CurrentLock.get()
                            .map(Lock::keys)
                            .flatMap(
                                keys ->
                                    Mono.deferContextual(
                                        context ->
                                            Mono.just(keys + context.get("user").toString()))),
                    8));

    SignalProbe<String> probe = v.run(results.contextWrite(context -> context.put("user", "me")));

    assertThat(probe.values).containsExactlyInAnyOrder("[a]me", "[b]me");
  }

  @Test
  void eachSubscriptionHasAQueueOfItsOwn() {
    Flux<String> results = each(Flux.just("a1"), 1);

    SignalProbe<String> first = v.run(results);
    v.cancel(first);
    SignalProbe<String> second = v.run(results);
    v.pass(SECOND);

    assertThat(first.values).isEmpty();
    assertThat(second.value()).isEqualTo("a1");
  }

  @Test
  void longLineOfQuickWorkDoesNotGrowTheStack() {
    List<Integer> all = IntStream.range(0, 20_000).boxed().toList();

    SignalProbe<Integer> probe =
        v.run(
            Flux.fromIterable(all)
                .transform(lockEach(v.locker, any -> "a", OPTIONS, Mono::just, 4)));

    assertThat(probe.values).hasSameSizeAs(all);
    assertThat(probe.values).isSorted();
  }
}
