// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.monolock.Lock;
import io.monolock.LockException;
import io.monolock.LockLostException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.ClientJvm;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Processes that stand still for longer than their lease, or are killed while they hold locks. */
@Timeout(300)
class PausedClientTest extends LockerBehindProxy {

  private static final Duration TTL = Duration.ofSeconds(3);

  /** How long a JVM may take to start and to connect, on a machine that is busy. */
  private static final Duration START = Duration.ofSeconds(90);

  PausedClientTest(RedisServer server) {
    super(server);
  }

  /**
   * Holds a lock and prints what becomes of it. The body has something to say at half of the ttl,
   * and then again after twice the ttl, which is during the pause.
   */
  public static final class Holder {

    private Holder() {}

    public static void main(String[] arguments) throws IOException {
      ReactiveLocker locker =
          ReactiveLocker.create(RedisLockStore.create(RedisClient.create(arguments[0])));
      locker
          .withLockMany("key", LockOptions.of(TTL), Holder::body)
          .subscribe(value -> say("value " + value), Holder::sayFailure, () -> say("complete"));
      int unused = System.in.read(); // until the test ends it
      locker.close().block(LIMIT);
      System.exit(0);
    }

    private static Flux<String> body(Lock lock) {
      say("holds");
      return Flux.just(TTL.dividedBy(2), TTL.multipliedBy(2))
          .flatMap(delay -> Mono.delay(delay).thenReturn(delay.toString()))
          .doOnCancel(() -> say("cancelled, valid " + lock.isValid()));
    }

    private static void sayFailure(Throwable e) {
      say(e instanceof LockLostException loss ? "lost" : "failed " + e);
    }

    private static void say(String line) {
      System.out.println(line);
    }
  }

  @Test
  @DisplayName(
      "B13, B69: a client paused past its lease notices the loss, and its body is no result")
  void pausedPastTheLease() {
    try (ClientJvm jvm = ClientJvm.start(Holder.class, server.uri())) {
      assertThat(jvm.readLine(START)).isEqualTo("holds");
      assertThat(jvm.readLine()).startsWith("value");
      jvm.pause();
      Lock others = locker.acquire("key", Duration.ofSeconds(30)).block(LIMIT);
      pass(TTL);
      long extensions = asked.extensions("key");

      jvm.resume();

      assertThat(List.of(jvm.readLine(), jvm.readLine()))
          .containsExactlyInAnyOrder("cancelled, valid false", "lost");
      assertThatThrownBy(() -> jvm.readLine(TTL)).hasMessageContaining("must print a line within");
      assertThat(asked.extensions("key")).isEqualTo(extensions);
      assertThat(others.isValid()).isTrue();
      assertThat(server.commandAsString("GET", "key")).startsWith(others.token());
      jvm.send("e");
      assertThat(jvm.awaitEnd()).isZero();
    }
  }

  @Test
  @DisplayName("B13: a client paused for less than its lease goes on, without a burst of refreshes")
  void pausedForLess() {
    try (ClientJvm jvm = ClientJvm.start(Holder.class, server.uri())) {
      assertThat(jvm.readLine(START)).isEqualTo("holds");
      assertThat(jvm.readLine()).startsWith("value");
      jvm.pause();
      long before = asked.extensions("key");
      pass(TTL.multipliedBy(2).dividedBy(5));
      jvm.resume();
      long resumed = System.nanoTime();
      await().until(() -> asked.extensions("key") > before);
      pass(Duration.ofMillis(250));

      long extensions = asked.extensions("key") - before;
      Duration taken = Duration.ofNanos(System.nanoTime() - resumed);
      assertThat(extensions)
          .as("one at once, and then one a period, which is shorter than this by a tenth")
          .isLessThanOrEqualTo(1 + 1 + taken.dividedBy(TTL.dividedBy(4)));
      assertThat(jvm.readLine()).startsWith("value");
      assertThat(jvm.readLine()).isEqualTo("complete");
      jvm.send("e");
      assertThat(jvm.awaitEnd()).isZero();
    }
  }

  /** Takes, extends and releases locks until it is killed. */
  public static final class BusyClient {

    private BusyClient() {}

    public static void main(String[] arguments) {
      ReactiveLocker locker =
          ReactiveLocker.create(RedisLockStore.create(RedisClient.create(arguments[0])));
      LockOptions options = LockOptions.of(Duration.ofMillis(400)).fenced(true);
      AtomicInteger granted = new AtomicInteger();
      Flux.range(0, Integer.MAX_VALUE)
          .flatMap(
              i ->
                  locker
                      .acquire(List.of("one" + i % 40, "two" + i % 40), options)
                      .doOnNext(lock -> report(granted.incrementAndGet()))
                      .flatMap(lock -> lock.extend(Duration.ofMillis(500)).then(lock.release()))
                      .onErrorComplete(LockException.class),
              32)
          .blockLast();
    }

    private static void report(int granted) {
      if (granted == 100) {
        System.out.println("busy");
      }
    }
  }

  @Test
  @DisplayName("B53: a client that is killed leaves no key without a time to live")
  void killedClientLeavesNoKeyForEver() {
    List<ClientJvm> jvms = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        jvms.add(ClientJvm.start(BusyClient.class, server.uri()));
      }
      for (ClientJvm jvm : jvms) {
        assertThat(jvm.readLine(START)).isEqualTo("busy");
        pass(Duration.ofMillis(ThreadLocalRandom.current().nextLong(100)));
        jvm.kill();
        assertThat(KeyScanner.of(server).withoutTtl("*")).isEmpty();
      }
    } finally {
      jvms.forEach(ClientJvm::close);
    }

    pass(Duration.ofMillis(600));

    assertThat(KeyScanner.of(server).matching("*")).allMatch(key -> key.endsWith(":fence"));
    assertThat(KeyScanner.of(server).withoutTtl("*")).isEmpty();
  }
}
