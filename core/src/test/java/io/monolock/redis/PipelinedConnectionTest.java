// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import io.monolock.store.StoreProblem.Reason;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** When calls are sent, and what is known of their answers, without a server. */
class PipelinedConnectionTest extends StoreOnRedis {

  private static final Duration LIMIT = Duration.ofMillis(50);

  private final DefaultEventExecutor loop = new DefaultEventExecutor();
  private final List<Thread> flushes = new CopyOnWriteArrayList<>();
  private volatile Runnable duringFlush = () -> {};
  private volatile boolean open = true;

  private final StatefulRedisConnection<String, String> connection = connection();
  private final PipelinedConnection link = new PipelinedConnection(connection);

  @AfterEach
  void endLoop() throws InterruptedException {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
  }

  @SuppressWarnings("unchecked")
  private StatefulRedisConnection<String, String> connection() {
    return (StatefulRedisConnection<String, String>)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {StatefulRedisConnection.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "getResources" -> client.getResources();
                  case "getOptions" -> ClientOptions.create();
                  case "reactive" -> commands();
                  case "isOpen" -> open;
                  case "flushCommands" -> flushed();
                  default -> null;
                });
  }

  /** Whose scripts never answer, and are lost with the connection. */
  private Object commands() {
    return Proxy.newProxyInstance(
        getClass().getClassLoader(),
        new Class<?>[] {RedisReactiveCommands.class},
        (proxy, method, args) -> Flux.never().doOnSubscribe(any -> open = false));
  }

  private Object flushed() {
    flushes.add(Thread.currentThread());
    Runnable once = duringFlush;
    duringFlush = () -> {};
    once.run();
    return null;
  }

  private void ask() {
    link.ask(Mono.never(), new BaseSubscriber<>() {});
  }

  private void heard() throws InterruptedException {
    loop.submit(link::answered).await();
  }

  /** Asks as those do who continue when they are answered, and waits for what comes of it. */
  private void askInTheLoop(int questions) throws InterruptedException {
    loop.submit(
            () -> {
              for (int i = 0; i < questions; i++) {
                ask();
              }
            })
        .await();
    loop.submit(() -> {}).await();
  }

  @BeforeEach
  void makeReady() throws InterruptedException {
    loop.submit(link::ready).await();
  }

  @Test
  void everyCallIsSentByTheLoopSoThatTheirOrderIsKept() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      ask();
      heard();
    }
    assertThat(flushes).hasSize(3).doesNotContain(Thread.currentThread());
  }

  @Test
  void callsThatFindOthersUnansweredAreSentTogetherByTheLoop() throws InterruptedException {
    ask();
    heard();
    ask();
    loop.submit(() -> {}).await();
    flushes.clear();

    askInTheLoop(10);
    assertThat(flushes).hasSize(1).doesNotContain(Thread.currentThread());
    askInTheLoop(10);
    assertThat(flushes).hasSize(2);
  }

  @Test
  void aCallThatComesWhileOthersAreSentIsSentAfterThem() throws InterruptedException {
    ask();
    heard();
    ask();
    loop.submit(() -> {}).await();
    flushes.clear();

    duringFlush = this::ask;
    askInTheLoop(1);
    loop.submit(() -> {}).await();

    assertThat(flushes).hasSize(2);
  }

  @Test
  void aCallIsSentEvenWhenTheLoopHasEnded() throws InterruptedException {
    ask();
    heard();
    ask();
    endLoop();
    flushes.clear();

    ask();
    ask();

    assertThat(flushes).hasSize(2);
  }

  @Test
  void oneThatAnswersOthersIsNotSilent() throws InterruptedException {
    ask();
    ask();
    TimeUnit.NANOSECONDS.sleep(LIMIT.toNanos());
    assertThat(link.isSilent(System.nanoTime() - LIMIT.toNanos())).isTrue();
    heard();
    assertThat(link.isSilent(System.nanoTime() - LIMIT.toNanos())).isFalse();
  }

  @Test
  void aCallThatIsLostByAConnectionThatEndsIsNotForgotten() {
    ReconnectingConnection shared =
        new ReconnectingConnection(() -> CompletableFuture.completedFuture(connection));
    ScriptCall<Long, Long> call =
        new ScriptCall<>(
            shared,
            LuaScript.load("release"),
            ScriptOutputType.INTEGER,
            new String[0],
            new String[0],
            (answer, over) -> answer);
    assertThat(failure(call).reason()).isEqualTo(Reason.UNKNOWN_OUTCOME);
  }
}
