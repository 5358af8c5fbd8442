// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import io.monolock.store.StoreProblem;
import io.monolock.test.CommandRecorder;
import io.monolock.test.HeldReplies;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** A command whose answer never came is neither a success nor a failure, and is settled. */
class AmbiguityTest extends LockerBehindProxy {

  AmbiguityTest(RedisServer server) {
    super(server);
  }

  private static void assertFails(StoreProblem.Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            LockStoreException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(reason);
              assertThat(e.keys()).containsExactly("key");
              assertThat(e.isTransient()).isTrue();
            });
  }

  private static void assertUnknown(ThrowingCallable call) {
    assertFails(StoreProblem.Reason.UNKNOWN_OUTCOME, call);
  }

  @Test
  @DisplayName(
      "B43: an acquisition that timed out has an unknown outcome, and what it took is freed")
  void timeOut() {
    server.pause();
    assertUnknown(() -> locker.acquire("key", ONCE).block(LIMIT));
    // by now the mute connection is given up, and whether this one is sent is a matter of luck
    assertThatThrownBy(() -> locker.tryAcquire("key", ONCE).block(LIMIT))
        .isInstanceOf(LockStoreException.class);
    try (CommandRecorder recorder = recorderOnceResumed()) {
      await()
          .atMost(SOON)
          .until(
              () -> recorder.commands("evalsha").stream().filter(this::isAboutTheKey).count() >= 2);
      awaitFree("key", SOON);
    }
  }

  private CommandRecorder recorderOnceResumed() {
    server.resume();
    return CommandRecorder.of(server);
  }

  private boolean isAboutTheKey(Object command) {
    return command.toString().contains("key");
  }

  @ParameterizedTest
  @EnumSource(DisconnectedBehavior.class)
  @DisplayName("B43: disconnected before the answer, whatever the client is configured to do then")
  void disconnect(DisconnectedBehavior behavior) {
    client.setOptions(ClientOptions.builder().disconnectedBehavior(behavior).build());
    proxy.cut();
    await()
        .ignoreExceptions()
        .until(() -> locker.acquire("warm-up", ONCE).flatMap(Lock::release).block(LIMIT));
    proxy.dropReplies(true);
    CompletableFuture<Lock> lock = locker.acquire("key", ONCE).toFuture();
    awaitTaken("key");
    proxy.dropReplies(false);

    assertUnknown(() -> Mono.fromFuture(lock).block(LIMIT));
    awaitFree("key", SOON);
  }

  @Test
  @DisplayName("B43: without a connection nothing was sent, and the outcome is known")
  void noConnection() {
    proxy.refuse();
    proxy.cut();
    await()
        .ignoreExceptionsInstanceOf(AssertionError.class)
        .untilAsserted(
            () ->
                assertFails(
                    StoreProblem.Reason.UNAVAILABLE,
                    () -> locker.acquire("key", ONCE).block(LIMIT)));
    assertThat(isFree("key")).isTrue();
  }

  @Test
  @DisplayName("B43: the next attempt of an acquisition whose answer was lost takes its own key")
  void lostAnswerDoesNotBlockTheNextAttempt() {
    LockOptions eager = OPTIONS.retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(10)));
    proxy.dropReplies(true);
    CompletableFuture<Lock> lock = locker.acquire("key", eager).toFuture();
    awaitTaken("key");
    server.command("PEXPIRE", "key", "30000");
    proxy.dropReplies(false);

    assertThat(lock).succeedsWithin(SOON);
    assertThat(lock.join().isValid()).isTrue();
    assertThat(server.commandAsLong("PTTL", "key")).isGreaterThan(50_000);
    await()
        .during(Duration.ofMillis(1_200)) // a release in doubt would be repeated after a second
        .atMost(Duration.ofSeconds(3))
        .until(() -> !isFree("key"));
    assertThat(lock.join().release().block(LIMIT)).isTrue();
    assertThat(isFree("key")).isTrue();
  }

  @Test
  @DisplayName("B43: a repeated acquire with the same token is one lock")
  void sameTokenIsOneLock() {
    LockOptions own = ONCE.token("Our-own-token-22-chars");
    Lock first = locker.acquire("key", own).block(LIMIT);
    proxy.dropReplies(true);
    CompletableFuture<Lock> unanswered = locker.acquire("key", own).toFuture();
    assertUnknown(() -> Mono.fromFuture(unanswered).block(LIMIT));
    proxy.dropReplies(false);

    Lock again = locker.acquire("key", own.waitAtMost(Duration.ofSeconds(5))).block(LIMIT);

    assertThat(again.token()).isEqualTo(first.token());
    assertThat(server.commandAsString("GET", "key")).isEqualTo(first.token());
    assertThat(released(first)).isTrue();
    assertThat(isFree("key")).isTrue();
    assertThat(released(again)).isFalse();
  }

  @Test
  @DisplayName("B110: closed before the answer, the waiter fails and the key is freed")
  void closeBeforeTheAnswer() {
    HeldReplies held = proxy.holdReplies();
    CompletableFuture<Lock> lock = locker.acquire("key", OPTIONS).toFuture();
    awaitTaken("key");
    CompletableFuture<Void> closed = locker.close().toFuture();

    assertThat(lock)
        .failsWithin(SOON)
        .withThrowableThat()
        .withCauseInstanceOf(LockerClosedException.class);
    assertThat(closed).isNotDone();
    held.release();
    assertThat(closed).succeedsWithin(LIMIT);
    assertThat(isFree("key")).isTrue();
  }

  @Test
  @DisplayName("B110: closed while a release is unanswered, the release still goes through")
  void closeBeforeTheReleaseIsAnswered() {
    Lock lock = locker.acquire("key", OPTIONS).block(LIMIT);
    proxy.dropRequests(true);
    CompletableFuture<Boolean> unanswered = lock.release().toFuture();
    CompletableFuture<Void> closed = locker.close().toFuture();
    proxy.dropRequests(false);

    assertThat(closed).succeedsWithin(LIMIT);
    assertThat(released(lock)).isTrue();
    assertThat(unanswered).isDone();
    assertThat(isFree("key")).isTrue();
  }

  @Test
  @DisplayName("B28: a release that was executed twice is a success")
  void releaseExecutedTwice() {
    Lock lock = locker.acquire("key", OPTIONS).block(LIMIT);
    proxy.dropReplies(true);
    CompletableFuture<Boolean> first = lock.release().toFuture();
    awaitFree("key", SOON);
    proxy.dropReplies(false);

    assertThat(released(lock)).isTrue();
    await().until(first::isDone);
  }

  @Test
  @DisplayName("B28: a release that was cancelled before its answer goes on, and can be joined")
  void cancelledRelease() {
    Lock lock = locker.acquire("key", OPTIONS).block(LIMIT);
    proxy.dropRequests(true);
    lock.release().subscribe().dispose();
    assertUnknown(() -> lock.release().block(LIMIT));
    assertThat(isFree("key")).isFalse();
    proxy.dropRequests(false);

    assertThat(released(lock)).isTrue();
    assertThat(isFree("key")).isTrue();
  }

  @Test
  @DisplayName("B28: a release is tried until the ttl is over, however long no answer comes")
  void releaseOutlivesALongOutage() {
    Lock lock = locker.acquire("key", OPTIONS).block(LIMIT);
    proxy.refuse();
    proxy.cut();
    assertThatThrownBy(() -> lock.release().block(LIMIT)).isInstanceOf(LockStoreException.class);
    assertThat(isFree("key")).isFalse();
    proxy.accept();

    awaitFree("key", SOON);
    assertThat(released(lock)).isTrue();
  }

  @Test
  @DisplayName("B43: an extension that was lost is unknown, and the old deadline still counts")
  void lostExtension() {
    Lock lock = locker.acquire("key", LockOptions.of(Duration.ofSeconds(5))).block(LIMIT);
    proxy.dropReplies(true);
    assertUnknown(() -> lock.extend(Duration.ofSeconds(50)).block(LIMIT));
    assertThat(lock.remaining()).isPositive().isLessThan(Duration.ofSeconds(5));
    proxy.dropReplies(false);

    // it took effect, and so the release may not give up before that ttl is over
    assertThat(server.commandAsLong("PTTL", "key")).isGreaterThan(10_000);
    assertThat(released(lock)).isTrue();
    assertThat(isFree("key")).isTrue();
  }

  @Test
  @DisplayName("B38: a lock that expired behind a dead connection cannot be extended to life again")
  void expiredIsNotRevived() {
    LockOptions brief = LockOptions.of(Duration.ofMillis(200));
    Lock lock = locker.acquire("key", brief).block(LIMIT);
    proxy.blackHole(true);
    awaitFree("key", SOON);
    server.command("SET", "key", "token-of-another-cli-1", "PX", "60000");
    server.command("DEL", "key");
    proxy.blackHole(false);
    awaitAnswer();

    for (Mono<?> late : List.of(lock.extend(Duration.ofSeconds(10)), lock.keepAlive())) {
      assertThatThrownBy(() -> late.block(LIMIT)).isInstanceOf(LockLostException.class);
    }
    assertThat(lock.ttl().block(LIMIT)).isZero();
    awaitAnswer(); // by then, whatever was sent before has been executed
    assertThat(asked.extensions("key")).isZero();
    assertThat(isFree("key")).isTrue();
  }

  /** Waits until there is a connection over which Redis answers. */
  private void awaitAnswer() {
    await()
        .ignoreExceptionsInstanceOf(LockStoreException.class)
        .until(() -> locker.inspect("other").hasElement().block(LIMIT).equals(false));
  }
}
