// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.LockerClosedException;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** The order in which an application with requests under way shuts down. */
@ExtendWith(RedisExtension.class)
class ShutdownTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class ShutdownApp {

    final Sinks.One<String> work = Sinks.one();
    final Runnable[] onClose = {() -> {}};

    @Bean
    ShutdownEndpoint endpoint(ReactiveLocker locker) {
      return new ShutdownEndpoint(locker, work);
    }

    /** Runs a callback when the locker begins to close. */
    @Bean
    BeanPostProcessor closingListener() {
      return new BeanPostProcessor() {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
          return bean instanceof ReactiveLocker locker ? listening(locker) : bean;
        }
      };
    }

    private ReactiveLocker listening(ReactiveLocker locker) {
      return (ReactiveLocker)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {ReactiveLocker.class},
              (proxy, method, args) -> {
                if (method.getName().equals("close")) {
                  onClose[0].run();
                }
                try {
                  return method.invoke(locker, args);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }

  @RestController
  record ShutdownEndpoint(ReactiveLocker locker, Sinks.One<String> work) {
    @GetMapping("/work")
    Mono<String> run() {
      return locker.withLock(
          "order:42",
          LIMIT,
          work.asMono().flatMap(done -> locker.withLock("order:43", LIMIT, Mono.just(done))));
    }
  }

  @Test
  void requestsUnderWayEndUnderTheirLocksBeforeTheLockerIsClosed(RedisServer server)
      throws IOException {
    WebApp app = WebApp.start(ShutdownApp.class, server);
    List<String> events = new CopyOnWriteArrayList<>();
    LettuceConnectionFactory factory = app.bean(LettuceConnectionFactory.class);
    app.bean(ShutdownApp.class).onClose[0] =
        () -> {
          events.add("locker closing");
          events.add(isServing(app.port()) ? "web server open" : "web server closed");
          events.add(factory.isRunning() ? "Redis of others open" : "Redis of others closed");
        };
    ReactiveLocker locker = app.bean(ReactiveLocker.class);

    try (Socket request = app.request("/work")) {
      await().until(() -> isHeld(server));
      CompletableFuture<Void> closing = CompletableFuture.runAsync(app::close);
      await().until(() -> !isServing(app.port()));
      assertThat(isHeld(server)).isTrue();
      assertThat(events).isEmpty();
      app.bean(ShutdownApp.class).work.tryEmitValue("done");
      assertThat(new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 200 OK")
          .endsWith("done");
      closing.join();
    }

    assertThat(events).startsWith("locker closing", "web server closed", "Redis of others open");
    assertThat(factory.isRunning()).isFalse();
    assertThat(isHeld(server)).isFalse();
    StepVerifier.create(locker.acquire("order:42", LIMIT))
        .expectError(LockerClosedException.class)
        .verify(LIMIT);
  }

  @Test
  void requestsThatDoNotEndInTimeLoseTheirLocks(RedisServer server) throws IOException {
    WebApp app =
        WebApp.start(ShutdownApp.class, server, "spring.lifecycle.timeout-per-shutdown-phase=1s");
    try (Socket request = app.request("/work")) {
      await().until(() -> isHeld(server));
      app.close();
      assertThat(isHeld(server)).isFalse();
      assertThat(request.getInputStream().readAllBytes()).isEmpty();
    }
  }

  @Test
  void theLockerIsClosedRightAfterTheWebServerOfSpringBoot() {
    assertThat(LockerLifecycle.PHASE)
        .isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
        .isGreaterThan(new LettuceConnectionFactory().getPhase());
  }

  private static boolean isHeld(RedisServer server) {
    return server.commandAsLong("EXISTS", "order:42") == 1;
  }

  private static boolean isServing(int port) {
    try (Socket socket = new Socket("localhost", port)) {
      return socket.isConnected();
    } catch (ConnectException e) {
      return false;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
