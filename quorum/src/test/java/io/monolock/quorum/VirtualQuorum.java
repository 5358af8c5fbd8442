// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A quorum in virtual time over members that do what a test says. */
final class VirtualQuorum {

  static final String ALICE = "Alice-Alice-Alice-Alic";
  static final String BOB = "Bob_Bob_Bob_Bob_Bob_Bo";
  static final LockKeys A = LockKeys.of("a");
  static final LockKeys B = LockKeys.of("b");
  static final Duration TTL = Duration.ofSeconds(10);

  final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  final List<TestMember> members;

  VirtualQuorum() {
    this(3);
  }

  VirtualQuorum(int size) {
    members = Stream.generate(() -> new TestMember(time)).limit(size).toList();
    members.forEach(member -> member.memory().declareNew().block());
  }

  /** A store whose largest ttl is {@link #TTL}. */
  QuorumLockStore store() {
    return store(TTL, builder -> builder);
  }

  QuorumLockStore store(Duration largestTtl, UnaryOperator<QuorumLockStore.Builder> settings) {
    return settings.apply(QuorumLockStore.builder(members, largestTtl).timer(time)).build();
  }

  TestMember member(int number) {
    return members.get(number - 1);
  }

  void pass(Duration duration) {
    time.advanceTimeBy(duration);
  }

  /** Which members hold the key for the token. */
  List<Integer> having(String token) {
    return numbers().filter(number -> member(number).has(A, token)).toList();
  }

  /** Which members know of no holder of the key. */
  List<Integer> free() {
    return numbers().filter(number -> member(number).isFree(A)).toList();
  }

  private Stream<Integer> numbers() {
    return IntStream.rangeClosed(1, members.size()).boxed();
  }

  /** What has come of a call. */
  static final class Result<T> {
    final List<T> values = new ArrayList<>();
    Throwable error;
    boolean completed;

    boolean isPending() {
      return !completed && error == null;
    }

    T value() {
      if (error != null) {
        throw new AssertionError("failed", error);
      }
      assertThat(values).hasSize(1);
      return values.get(0);
    }

    StoreFailure failure() {
      assertThat(error).isInstanceOf(StoreFailure.class);
      return (StoreFailure) error;
    }
  }

  /** Subscribes, and does what is due now. */
  <T> Result<T> run(Mono<T> call) {
    Result<T> result = new Result<>();
    call.subscribe(result.values::add, e -> result.error = e, () -> result.completed = true);
    time.advanceTime();
    return result;
  }

  /** Subscribes, and lets a second pass. */
  <T> Result<T> runLong(Mono<T> call) {
    Result<T> result = run(call);
    pass(Duration.ofSeconds(1));
    return result;
  }

  Result<Grant> acquire(QuorumLockStore store, String token) {
    return run(store.acquire(A, token, "", TTL, false));
  }

  static boolean isGranted(Result<Grant> result) {
    return result.value() instanceof Grant.Granted;
  }

  static Optional<Duration> busy(Result<Grant> result) {
    assertThat(result.value()).isInstanceOf(Grant.Busy.class);
    return ((Grant.Busy) result.value()).remaining();
  }

  static long number(Result<Grant> result) {
    return ((Grant.Granted) result.value()).fencingToken().orElseThrow();
  }
}
