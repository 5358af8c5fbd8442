// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static io.monolock.store.StoreProblem.Reason.UNAVAILABLE;
import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import io.monolock.ReactiveLocker;
import io.monolock.test.CommandRecorder;
import io.monolock.test.FaultProxy;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Lettuce, set up so that it replays, swallows, refuses or never ends what it is asked. */
@ExtendWith(RedisExtension.class)
class HostileLettuceTest extends LockerUnderFault {

  private static final LockOptions SHORT_WAIT = OPTIONS.waitAtMost(Duration.ofMillis(600));
  private static final LockOptions LONG_WAIT = OPTIONS.waitAtMost(Duration.ofSeconds(10));

  private final RedisServer server;
  private FaultProxy proxy;

  HostileLettuceTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    proxy = FaultProxy.before(server);
  }

  @AfterEach
  void closeProxy() {
    proxy.reset();
    closeAll();
    proxy.close();
  }

  enum Setup {
    DEFAULT(options -> options),
    NO_TIMEOUT(options -> options.timeoutOptions(TimeoutOptions.create())),
    SHORT_TIMEOUT(
        options -> options.timeoutOptions(TimeoutOptions.enabled(Duration.ofMillis(150)))),
    FILTER_THAT_SWALLOWS(options -> options.replayFilter(command -> true)),
    REJECT_COMMANDS(options -> options.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)),
    NO_RECONNECT(options -> options.autoReconnect(false)),
    SHORT_QUEUE(options -> options.requestQueueSize(10)),
    OTHER_THREADS(options -> options.publishOnScheduler(true)),
    RESP2(options -> options.protocolVersion(ProtocolVersion.RESP2));

    private final UnaryOperator<ClientOptions.Builder> change;

    Setup(UnaryOperator<ClientOptions.Builder> change) {
      this.change = change;
    }

    ClientOptions options() {
      return change.apply(ClientOptions.builder()).build();
    }
  }

  private ReactiveLocker locker(Setup setup) {
    ReactiveLocker locker = locker(client(null, setup.options()), RedisURI.create(proxy.uri()));
    warmUp(locker);
    return locker;
  }

  /** All that a user can ask for, and how it ended. */
  private static Flux<String> everything(ReactiveLocker locker, Lock held) {
    return Flux.mergeSequential(
        outcome("acquire", () -> locker.acquire("acquire", SHORT_WAIT)),
        outcome("tryAcquire", () -> locker.tryAcquire("tryAcquire", OPTIONS)),
        outcome("withLock", () -> locker.withLock("with", SHORT_WAIT, lock -> Mono.just(1))),
        outcome("extend", () -> held.extend(Duration.ofSeconds(40))),
        outcome("ttl", held::ttl),
        outcome("attach", () -> locker.attach(List.of("held"), held.token(), OPTIONS)),
        outcome("inspect", () -> locker.inspect("held")),
        outcome("forceRelease", () -> locker.forceRelease("other")));
  }

  private static void assertAllEndWithTrouble(ReactiveLocker locker, Lock held) {
    Duration taken =
        timed(
            () ->
                assertThat(everything(locker, held).collectList().block(LIMIT))
                    .hasSize(8)
                    .allMatch(outcome -> outcome.endsWith(": LockStoreException")));
    assertThat(taken).isLessThan(Duration.ofSeconds(10));
    assertThat(held.isValid()).isTrue();
  }

  private void assertAllIsWellAgain(ReactiveLocker locker, Lock held) {
    await()
        .atMost(LIMIT)
        .until(
            () ->
                everything(locker, held)
                    .all(outcome -> !outcome.endsWith(": LockStoreException"))
                    .block(LIMIT));
    assertThat(released(held)).isTrue();
    // the acquisitions above left their locks to their ttl, and all that failed has to be freed
    for (String key : List.of("acquire", "tryAcquire")) {
      locker.forceRelease(key).block(LIMIT);
    }
    await().atMost(LIMIT).until(() -> KeyScanner.of(server).matching("*").isEmpty());
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B100, B111: however Lettuce is configured, no call outlives our own deadline")
  void everyCallEndsWhileNothingIsAnswered(Setup setup) {
    ReactiveLocker locker = locker(setup);
    Lock held = locker.acquire("held", OPTIONS).block(LIMIT);
    proxy.blackHole(true);

    assertAllEndWithTrouble(locker, held);

    proxy.blackHole(false);
    assertAllIsWellAgain(locker, held);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B100, B107, B111: nor does a call that comes while there is no connection")
  void everyCallEndsWhileThereIsNoConnection(Setup setup) {
    ReactiveLocker locker = locker(setup);
    Lock held = locker.acquire("held", OPTIONS).block(LIMIT);
    proxy.refuse();
    proxy.cut();

    assertAllEndWithTrouble(locker, held);

    proxy.accept();
    assertAllIsWellAgain(locker, held);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B98: an acquisition whose answer is lost is granted once and numbered once")
  void acquisitionIsNotDoubled(Setup setup) throws Exception {
    ReactiveLocker locker = locker(setup);
    locker.withLock("other", OPTIONS.fenced(true), lock -> Mono.just(1)).block(LIMIT);
    try (CommandRecorder recorder = CommandRecorder.of(server)) {
      proxy.dropReplies(true);
      CompletableFuture<Lock> acquiring = locker.acquire("key", LONG_WAIT.fenced(true)).toFuture();
      await().until(() -> exists(server, "key"));
      String number = server.commandAsString("GET", "key:fence");
      proxy.dropReplies(false);

      Lock lock = acquiring.get(10, TimeUnit.SECONDS);
      assertThat(server.commandAsString("GET", "key:fence")).isEqualTo(number);
      assertThat(number).startsWith(lock.fencingToken().getAsLong() + " ");
      await().until(() -> events.attempts("key").size() == 1);
      int attempts = events.attempts("key").get(0);
      assertThat(attempts).isGreaterThanOrEqualTo(2);
      assertThat(
              recorder.commands("evalsha").stream()
                  .filter(command -> command.words().contains("key")))
          .as("our own attempts, none of Lettuce's")
          .hasSizeLessThanOrEqualTo(attempts);
      assertThat(released(lock)).isTrue();
    }
    assertThat(exists(server, "key")).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "B98: a release whose answer is lost is a release, though a second one finds nothing")
  void releaseIsStillOurs(Setup setup) {
    ReactiveLocker locker = locker(setup);
    Lock lock = locker.acquire("key", OPTIONS).block(LIMIT);
    proxy.dropReplies(true);
    CompletableFuture<Boolean> release = lock.release().toFuture();
    await().until(() -> !exists(server, "key"));
    proxy.dropReplies(false);

    assertThat(released(lock)).isTrue();
    await().until(release::isDone);
  }

  @Test
  @DisplayName("B98: an extension whose answer is lost says so, and the lock is kept")
  void extensionIsInDoubt() {
    ReactiveLocker locker = locker(Setup.DEFAULT);
    Lock lock = locker.acquire("key", OPTIONS).block(LIMIT);
    proxy.dropReplies(true);
    CompletableFuture<Void> extending = lock.extend(Duration.ofSeconds(90)).toFuture();
    await().until(() -> server.commandAsLong("PTTL", "key") > 60_000);
    proxy.dropReplies(false);

    assertThat(failure(extending))
        .isInstanceOfSatisfying(
            LockStoreException.class, e -> assertThat(e.reason()).isEqualTo(UNKNOWN_OUTCOME));
    assertThat(lock.isValid()).isTrue();
    await()
        .ignoreExceptionsInstanceOf(LockStoreException.class)
        .until(() -> lock.extend(Duration.ofSeconds(120)).thenReturn(true).block(LIMIT));
    assertThat(lock.remaining()).isGreaterThan(Duration.ofSeconds(100));
  }

  @ParameterizedTest
  @EnumSource(
      value = Setup.class,
      names = {"DEFAULT", "REJECT_COMMANDS"})
  @DisplayName("B109: a call that its connection took along is in doubt, and what it took is freed")
  void whatWasUnderWayIsInDoubt(Setup setup) {
    ReactiveLocker locker = locker(setup);
    proxy.dropReplies(true);
    CompletableFuture<Lock> acquiring = locker.tryAcquire("key", OPTIONS).toFuture();
    await().until(() -> exists(server, "key"));
    proxy.dropReplies(false);

    assertThat(failure(acquiring))
        .isInstanceOfSatisfying(
            LockStoreException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(UNKNOWN_OUTCOME);
              assertThat(e.isTransient()).isTrue();
            });
    await().atMost(Duration.ofSeconds(5)).until(() -> !exists(server, "key"));
  }

  @Test
  @DisplayName("B108: with REJECT_COMMANDS the first call, which opens the connection, succeeds")
  void firstCallIsNotRejected() {
    ReactiveLocker locker =
        locker(client(null, Setup.REJECT_COMMANDS.options()), RedisURI.create(proxy.uri()));

    List<Lock> locks =
        Flux.range(0, 20)
            .flatMap(i -> locker.tryAcquire("key" + i, OPTIONS))
            .collectList()
            .block(LIMIT);

    assertThat(locks).hasSize(20);
  }

  @ParameterizedTest
  @EnumSource(
      value = Setup.class,
      names = {"DEFAULT", "FILTER_THAT_SWALLOWS", "REJECT_COMMANDS", "OTHER_THREADS"})
  @DisplayName("B110: a close fails all waiters as closed, and none as cancelled")
  void closeIsNoCancellation(Setup setup) {
    ReactiveLocker locker = locker(setup);
    server.command("SET", "busy", "another client", "PX", "60000");
    List<CompletableFuture<Lock>> waiting =
        Stream.concat(
                IntStream.range(0, 10).mapToObj(i -> locker.acquire("busy", LONG_WAIT)),
                IntStream.range(0, 10).mapToObj(i -> locker.acquire("key" + i, LONG_WAIT)))
            .map(Mono::toFuture)
            .toList();
    proxy.refuse();
    proxy.cut();
    List<CompletableFuture<Lock>> during =
        IntStream.range(0, 10).mapToObj(i -> locker.acquire("busy", LONG_WAIT).toFuture()).toList();

    locker.close().block(LIMIT);

    assertThat(Stream.concat(waiting.stream(), during.stream()))
        .filteredOn(CompletableFuture::isCompletedExceptionally)
        .hasSizeGreaterThanOrEqualTo(20)
        .allMatch(call -> failure(call) instanceof LockerClosedException);
    assertThat(waiting).allMatch(CompletableFuture::isDone);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("B112: Lettuce's threads shut down under us end no lock later than our own clock")
  void shutDownResourcesHangNoCall(boolean otherThreads) throws Exception {
    ClientResources resources = DefaultClientResources.create();
    // a client without resources cannot be shut down, which would only wait for its threads
    RedisClient client = RedisClient.create(resources);
    client.setOptions((otherThreads ? Setup.OTHER_THREADS : Setup.DEFAULT).options());
    ReactiveLocker locker = locker(client, RedisURI.create(proxy.uri()));
    warmUp(locker);
    Lock held = locker.acquire("held", OPTIONS).block(LIMIT);
    Lock released = locker.acquire("released", OPTIONS).block(LIMIT);
    proxy.dropReplies(true);
    CompletableFuture<List<String>> underWay = everything(locker, held).collectList().toFuture();
    CompletableFuture<Boolean> release = released.release().toFuture();

    resources.shutdown(0, 0, TimeUnit.SECONDS).get(5, TimeUnit.SECONDS);

    assertThat(underWay)
        .succeedsWithin(Duration.ofSeconds(3))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.list(String.class))
        .hasSize(8)
        .allMatch(outcome -> outcome.endsWith(": LockStoreException"));
    assertThat(release).failsWithin(Duration.ofSeconds(3));
    assertAllEndWithTrouble(locker, held);
    Duration closing = timed(() -> locker.close().block(LIMIT));
    assertThat(closing).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  @DisplayName("B102: calls that wait for a connection that never opens end, and hold up no close")
  void connectThatHangsHoldsNothingUp() {
    ReactiveLocker locker =
        locker(client(null, Setup.DEFAULT.options()), RedisURI.create(proxy.uri()));
    proxy.blackHole(true);
    for (int i = 0; i < 3; i++) {
      int round = i;
      Flux.range(0, 50)
          .delayElements(Duration.ofMillis(5))
          .flatMap(n -> outcome("", () -> locker.tryAcquire("key" + round + n, OPTIONS)))
          .blockLast(LIMIT);
    }

    proxy.blackHole(false);
    Duration recovered =
        timed(() -> locker.acquire("key", LONG_WAIT).block(LIMIT).release().block(LIMIT));
    assertThat(recovered).isLessThan(Duration.ofSeconds(5));
    assertThat(timed(() -> locker.close().block(LIMIT))).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  @DisplayName("B102: a full request queue refuses, and refused is not in doubt")
  void fullQueueIsNoDoubt() {
    ReactiveLocker locker = locker(Setup.SHORT_QUEUE);
    proxy.blackHole(true);
    List<CompletableFuture<Lock>> calls =
        IntStream.range(0, 20)
            .mapToObj(i -> locker.tryAcquire("key" + i, OPTIONS).toFuture())
            .toList();

    assertThat(calls)
        .filteredOn(call -> ((LockStoreException) failure(call)).reason() == UNAVAILABLE)
        .hasSizeBetween(1, 10);
  }

  @Test
  @DisplayName("B102: a queue of ten is enough for a hundred waiters")
  void shortQueueIsWaitedOut() {
    ReactiveLocker locker = locker(Setup.SHORT_QUEUE);

    Long done =
        Flux.range(0, 100)
            .flatMap(i -> locker.withLock("key" + i, LONG_WAIT, lock -> Mono.just(i)), 100)
            .count()
            .block(LIMIT);

    assertThat(done).isEqualTo(100);
    await().atMost(LIMIT).until(() -> KeyScanner.of(server).matching("*").isEmpty());
  }

  @Test
  @DisplayName("B113: a connection that Lettuce moves elsewhere and holds back is given up")
  @SuppressWarnings({"unchecked", "rawtypes"})
  void connectionHeldBackIsGivenUp() {
    Object started = rebindStarted();
    Queue<Channel> channels = new ConcurrentLinkedQueue<>();
    ClientResources resources =
        DefaultClientResources.builder()
            .nettyCustomizer(
                new NettyCustomizer() {
                  @Override
                  public void afterChannelInitialized(Channel channel) {
                    channels.add(channel);
                  }
                })
            .build();
    ReactiveLocker locker =
        locker(client(resources, ClientOptions.create()), RedisURI.create(proxy.uri()));
    warmUp(locker);
    Lock held = locker.acquire("held", OPTIONS).block(LIMIT);

    // Lettuce itself may put back what the test sets
    await()
        .until(
            () -> {
              channels.forEach(
                  channel ->
                      channel
                          .attr((AttributeKey) AttributeKey.valueOf("rebindAddress"))
                          .set(started));
              return isTransientTrouble(locker.tryAcquire("key", OPTIONS));
            });
    assertAllIsWellAgain(locker, held);
    closeAll();
    resources.shutdown(0, 2, TimeUnit.SECONDS);
  }

  private static boolean isTransientTrouble(Mono<Lock> acquisition) {
    return Boolean.TRUE.equals(
        acquisition
            .flatMap(Lock::release)
            .map(any -> false)
            .onErrorResume(LockStoreException.class, e -> Mono.just(e.isTransient()))
            .block(LIMIT));
  }

  /** What Lettuce 7 sets on a channel while it moves to another server. */
  private static Object rebindStarted() {
    try {
      return Stream.of(Class.forName("io.lettuce.core.protocol.RebindState").getEnumConstants())
          .filter(state -> state.toString().equals("STARTED"))
          .findFirst()
          .orElseThrow();
    } catch (ClassNotFoundException e) {
      assumeTrue(false, "this version of Lettuce moves no connections");
      return "";
    }
  }
}
