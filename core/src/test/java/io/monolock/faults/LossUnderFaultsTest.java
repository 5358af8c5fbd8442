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
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** A lock that is lost is told in time, once, and ends the body. */
@ExtendWith({RedisExtension.class, DroppedSignals.class})
class LossUnderFaultsTest {

  private static final Duration TTL = Duration.ofMillis(900);
  private static final LockOptions OPTIONS = LockOptions.of(TTL);

  private final RedisServer server;
  private final AtomicInteger cancelled = new AtomicInteger();
  private final List<Object> values = new CopyOnWriteArrayList<>();
  private final List<Throwable> errors = new CopyOnWriteArrayList<>();
  private Setup setup;

  LossUnderFaultsTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    setup = new Setup(server);
  }

  @AfterEach
  void close() {
    setup.close();
  }

  /** Starts a scope with a body that never ends. */
  private void startScope() {
    startScope(Mono.never());
  }

  private void startScope(Mono<?> body) {
    setup
        .locker
        .withLock("key", OPTIONS, lock -> body.doOnCancel(cancelled::incrementAndGet))
        .subscribe(values::add, errors::add);
    await().until(() -> !setup.isFree("key"));
  }

  private void assertLost(Reason reason) {
    assertThat(values).isEmpty();
    assertThat(errors)
        .singleElement()
        .isInstanceOfSatisfying(
            LockLostException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    assertThat(cancelled).hasValue(1);
    assertThat(setup.told.count("lost " + reason)).isEqualTo(1);
    assertThat(setup.told.count("lost")).isEqualTo(1);
  }

  /** Trouble that does not end by itself. */
  private record Trouble(String name, Consumer<Setup> begin) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Trouble> troubles() {
    return Stream.of(
        new Trouble("a server that stands still", setup -> setup.server.pause()),
        new Trouble("a busy server", setup -> setup.server.keepBusy(TTL.multipliedBy(2))),
        new Trouble(
            "a server without its replicas",
            setup -> setup.server.configure("min-replicas-to-write", "1")),
        new Trouble(
            "a server that has become a replica",
            setup -> setup.server.command("REPLICAOF", "127.0.0.1", "1")),
        new Trouble(
            "a connection that is cut",
            setup -> {
              setup.proxy.refuse();
              setup.proxy.cut();
            }),
        new Trouble("answers that are lost", setup -> setup.proxy.dropReplies(true)),
        new Trouble("a network that swallows everything", setup -> setup.proxy.blackHole(true)));
  }

  @ParameterizedTest
  @MethodSource("troubles")
  @DisplayName("B07 B10 B13: trouble longer than the lease is told at the deadline, once")
  void longTroubleIsToldAtTheDeadline(Trouble trouble) {
    long begin = System.nanoTime();
    startScope();
    trouble.begin().accept(setup);

    await().pollInterval(Duration.ofMillis(2)).until(() -> !errors.isEmpty());
    Duration told = Duration.ofNanos(System.nanoTime() - begin);

    // the last refresh that can have got through was sent just before the trouble
    assertThat(told)
        .isBetween(TTL.multipliedBy(9).dividedBy(10), TTL.multipliedBy(19).dividedBy(10));
    Setup.pass(Duration.ofMillis(300));
    heal();
    assertLost(Reason.UNREACHABLE);
    await().until(() -> setup.isFree("key"));
  }

  private void heal() {
    server.resume();
    setup.proxy.reset();
    await().ignoreExceptions().until(() -> "PONG".equals(server.command("PING")));
    server.restoreSettings();
    server.command("REPLICAOF", "NO", "ONE");
  }

  @Test
  @DisplayName("B10 B15 B18: a key that somebody deletes is told at the next refresh, and all ends")
  void deletedKeyIsToldAtTheNextRefresh() {
    startScope();
    server.command("DEL", "key");

    await().atMost(TTL.dividedBy(2)).until(() -> !errors.isEmpty());

    assertLost(Reason.TAKEN);
    Setup.pass(TTL);
    assertThat(setup.extensions("key")).isEqualTo(1);
    assertThat(setup.releases("key")).isLessThanOrEqualTo(1);
  }

  @Test
  @DisplayName("B15 B18: a foreign token ends it at once, and is left alone")
  void foreignTokenEndsIt() {
    startScope();
    server.command("SET", "key", "somebody else", "PX", "60000");

    await().atMost(TTL.dividedBy(2)).until(() -> !errors.isEmpty());

    assertLost(Reason.TAKEN);
    Setup.pass(TTL);
    assertThat(setup.extensions("key")).isEqualTo(1);
    assertThat(server.commandAsString("GET", "key")).isEqualTo("somebody else");
    assertThat(setup.pttl("key")).isGreaterThan(50_000);
  }

  @Test
  @DisplayName("B10: what a body emits after the loss is no result")
  void lateSignalsOfTheBodyAreNoResult(DroppedSignals dropped) {
    dropped.allow(); // the body goes on after its cancellation
    LatePublisher<String> body = new LatePublisher<>();
    setup.locker.withLockMany("key", OPTIONS, lock -> body).subscribe(values::add, errors::add);
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
    Lock lock = setup.locker.acquire("key", OPTIONS).block(Setup.PATIENCE);
    var keepAlive = lock.keepAlive().subscribe(any -> {}, errors::add);
    server.pause();

    await().pollInterval(Duration.ofMillis(2)).until(() -> !lock.isValid());

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TTL.plusSeconds(5));
    assertThat(lock.remaining()).isZero();
    server.resume();
    assertThatThrownBy(() -> lock.extend(TTL).block(Setup.PATIENCE))
        .isInstanceOf(LockLostException.class);
    assertThat(lock.isValid()).isFalse();
    keepAlive.dispose();
  }

  @Test
  @DisplayName("B16: a loss that nobody listens to is dropped nowhere")
  void lossWithoutListeners() {
    Lock unheard = setup.locker.acquire("unheard", OPTIONS).block(Setup.PATIENCE);
    Lock left = setup.locker.acquire("left", OPTIONS).block(Setup.PATIENCE);
    var keepAlive = left.keepAlive().subscribe();
    await().until(() -> setup.extensions("left") == 1);
    server.command("DEL", "unheard", "left");
    keepAlive.dispose();

    await().until(() -> setup.told.count("lost") == 2);

    assertThat(unheard.isValid()).isFalse();
    assertThat(unheard.release().block(Setup.PATIENCE)).isFalse();
    assertThat(left.release().block(Setup.PATIENCE)).isFalse();
  }
}
