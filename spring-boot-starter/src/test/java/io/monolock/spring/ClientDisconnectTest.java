// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.web.reactive.function.server.RequestPredicates.GET;
import static org.springframework.web.reactive.function.server.RouterFunctions.route;

import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Locks of requests whose client disconnects in the middle; B30. */
@ExtendWith(RedisExtension.class)
class ClientDisconnectTest {

  private static final Logger LOG = LoggerFactory.getLogger(ClientDisconnectTest.class);
  private static final Duration TTL = Duration.ofSeconds(60);
  private static final int TIMES = 9;

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class DisconnectApp {

    @Bean
    EndlessWork work() {
      return new EndlessWork();
    }

    @Bean
    DisconnectEndpoint endpoint(EndlessWork work) {
      return new DisconnectEndpoint(work);
    }

    @Bean
    RouterFunction<ServerResponse> functional(ReactiveLocker locker, EndlessWork work) {
      return route(
              GET("/functional"),
              request ->
                  locker
                      .withLock("order:42", TTL, work.endless())
                      .flatMap(text -> ServerResponse.ok().bodyValue(text)))
          .andRoute(
              GET("/functional/finish"),
              request ->
                  locker
                      .withLock(
                          "order:42",
                          LockOptions.of(TTL).finishOnCancel(true),
                          lock -> work.untilDone())
                      .flatMap(text -> ServerResponse.ok().bodyValue(text)));
    }
  }

  @Service
  static class EndlessWork {

    static volatile Sinks.One<String> done = Sinks.one();

    Mono<String> endless() {
      return Mono.never();
    }

    Mono<String> untilDone() {
      return Mono.defer(() -> done.asMono());
    }

    @Locked(keys = "'order:42'")
    Mono<String> lockedEndless() {
      return endless();
    }

    @Locked(keys = "'order:42'")
    Flux<String> lockedStream() {
      return Flux.concat(Mono.just("first"), Mono.never());
    }

    @Locked(keys = "'order:42'", finishOnCancel = true)
    Mono<String> lockedUntilDone() {
      return untilDone();
    }
  }

  @RestController
  record DisconnectEndpoint(EndlessWork work) {
    @GetMapping("/annotated")
    Mono<String> endless() {
      return work.lockedEndless();
    }

    @GetMapping(path = "/annotated/stream", produces = "text/event-stream")
    Flux<String> stream() {
      return work.lockedStream();
    }

    @GetMapping("/annotated/finish")
    Mono<String> finish() {
      return work.lockedUntilDone();
    }
  }

  private static WebApp app;

  @BeforeAll
  static void start(RedisServer server) {
    app = WebApp.start(DisconnectApp.class, server);
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  private static boolean isHeld(RedisServer server) {
    return server.commandAsLong("EXISTS", "order:42") == 1;
  }

  @ParameterizedTest
  @ValueSource(strings = {"/annotated", "/annotated/stream", "/functional"})
  void aClientThatDisconnectsFreesTheLockWithinHalfASecond(String path, RedisServer server)
      throws IOException {
    long[] millis = new long[TIMES];
    for (int i = 0; i < TIMES; i++) {
      millis[i] = millisFromDisconnectToFree(path, server);
    }
    Arrays.sort(millis);
    LOG.info(
        "{}: from disconnect to free {} ms in the median, {} ms at most",
        path,
        millis[TIMES / 2],
        millis[TIMES - 1]);
    assertThat(millis[TIMES / 2]).isLessThan(500);
  }

  private static long millisFromDisconnectToFree(String path, RedisServer server)
      throws IOException {
    Socket client = app.request(path);
    await().until(() -> isHeld(server));
    client.close();
    long disconnected = System.nanoTime();
    await().pollInterval(Duration.ofMillis(1)).until(() -> !isHeld(server));
    return Duration.ofNanos(System.nanoTime() - disconnected).toMillis();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/annotated/finish", "/functional/finish"})
  void withFinishOnCancelTheLockIsFreedWhenTheWorkHasEnded(String path, RedisServer server)
      throws IOException {
    Sinks.One<String> done = Sinks.one();
    EndlessWork.done = done;
    Socket client = app.request(path);
    await().until(() -> done.currentSubscriberCount() == 1);
    client.close();
    await().during(Duration.ofMillis(700)).until(() -> isHeld(server));
    done.tryEmitValue("done");
    await().until(() -> !isHeld(server));
  }
}
