// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockOptions;
import io.monolock.test.DroppedSignals;
import io.monolock.test.LatePublisher;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** A loss is signalled in time, once, and ends the body. */
class LossUnderFaultsTest extends LockerBehindProxy {

  private static final Duration TTL = Duration.ofMillis(900);
  private static final LockOptions OPTIONS = LockOptions.of(TTL);

  private final AtomicInteger cancelled = new AtomicInteger();
  private final List<Object> values = new CopyOnWriteArrayList<>();
  private final List<Throwable> errors = new CopyOnWriteArrayList<>();

  LossUnderFaultsTest(RedisServer server) {
    super(server);
  }

  /** Starts a scope with a body that never ends. */
  private void startScope() {
    startScope(Mono.never());
  }

  private void startScope(Mono<?> body) {
    locker
        .withLock("key", OPTIONS, lock -> body.doOnCancel(cancelled::incrementAndGet))
        .subscribe(values::add, errors::add);
    await().until(() -> !isFree("key"));
  }

  private void assertLost(Reason reason) {
    assertThat(values).isEmpty();
    assertThat(errors)
        .singleElement()
        .isInstanceOfSatisfying(
            LockLostException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    assertThat(cancelled).hasValue(1);
    await().until(() -> events.count("lost " + reason) == 1);
    assertThat(events.count("lost")).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("io.monolock.faults.Trouble#all")
  @DisplayName("B07 B10 B13: trouble longer than the lease loses the lock at the deadline, once")
  void longTroubleLosesTheLockAtTheDeadline(Trouble trouble) throws Exception {
    long begin = System.nanoTime();
    startScope();
    AutoCloseable end = trouble.beginFor(this);
    long troubled = System.nanoTime();

    await().pollInterval(Duration.ofMillis(2)).until(() -> !errors.isEmpty());
    long noticed = System.nanoTime();

    assertThat(Duration.ofNanos(noticed - begin)).isGreaterThan(TTL.multipliedBy(9).dividedBy(10));
    // the last refresh that can have got through was sent just before the trouble
    assertThat(Duration.ofNanos(noticed - troubled)).isLessThan(TTL.plusSeconds(1));
    pass(Duration.ofMillis(300));
    end.close();
    assertLost(trouble.reason());
    await().until(() -> isFree("key"));
  }

  @Test
  @DisplayName("B10 B15 B18: a key that is deleted is noticed at the next refresh, and all ends")
  void deletedKeyIsNoticedAtTheNextRefresh() {
    startScope();
    server.command("DEL", "key");
    long extensions = asked.extensions("key");

    await().until(() -> !errors.isEmpty());

    assertLost(Reason.TAKEN);
    pass(TTL);
    assertThat(asked.extensions("key")).isLessThanOrEqualTo(extensions + 1);
    assertThat(asked.releases("key")).isLessThanOrEqualTo(1);
  }

  @Test
  @DisplayName("B15 B18: a foreign token ends it at once, and is left alone")
  void foreignTokenEndsIt() {
    startScope();
    server.command("SET", "key", "another client", "PX", "60000");
    long extensions = asked.extensions("key");

    await().until(() -> !errors.isEmpty());

    assertLost(Reason.TAKEN);
    pass(TTL);
    assertThat(asked.extensions("key")).isLessThanOrEqualTo(extensions + 1);
    assertThat(server.commandAsString("GET", "key")).isEqualTo("another client");
    assertThat(pttl("key")).isGreaterThan(50_000);
  }

  @Test
  @DisplayName("B10: what a body emits after the loss is no result")
  void lateSignalsOfTheBodyAreNoResult(DroppedSignals dropped) {
    dropped.allow(); // the body goes on after its cancellation
    LatePublisher<String> body = new LatePublisher<>();
    locker.withLockMany("key", OPTIONS, lock -> body).subscribe(values::add, errors::add);
    await().until(() -> body.subscriptions() == 1);
    body.next("before");
    server.command("DEL", "key");
    await().until(() -> body.cancellations() > 0 && !errors.isEmpty());

    body.next("after");
    body.complete();

    assertThat(values).containsExactly("before");
    assertThat(errors).singleElement().isInstanceOf(LockLostException.class);
  }

  @Test
  @DisplayName("B22: a handle knows without Redis when it is no lock any more")
  void validityNeedsNoAnswer() {
    long begin = System.nanoTime();
    Lock lock = locker.acquire("key", OPTIONS).block(LIMIT);
    var keepAlive = lock.keepAlive().subscribe(any -> {}, errors::add);
    server.pause();

    await().pollInterval(Duration.ofMillis(2)).until(() -> !lock.isValid());

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TTL.plusSeconds(5));
    assertThat(lock.remaining()).isZero();
    server.resume();
    assertThatThrownBy(() -> lock.extend(TTL).block(LIMIT)).isInstanceOf(LockLostException.class);
    assertThat(lock.isValid()).isFalse();
    keepAlive.dispose();
  }

  @Test
  @DisplayName("B16: a loss that has no listener is dropped nowhere")
  void lossWithoutListeners() {
    Lock ignored = locker.acquire("ignored", OPTIONS).block(LIMIT);
    Lock left = locker.acquire("left", OPTIONS).block(LIMIT);
    var keepAlive = left.keepAlive().subscribe();
    await().until(() -> asked.extensions("left") > 0);
    server.command("DEL", "ignored", "left");
    keepAlive.dispose();

    await().until(() -> events.count("lost") == 2);

    assertThat(ignored.isValid()).isFalse();
    assertThat(released(ignored)).isFalse();
    assertThat(released(left)).isFalse();
  }
}
