// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.spring.WebApp;
import io.monolock.store.LockStore;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeReactiveHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.ReactiveHealthContributor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** What operators see of locks over HTTP. */
@ExtendWith(RedisExtension.class)
class ActuatorTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final LockOptions LONG = LockOptions.of(Duration.ofSeconds(60));

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class ActuatorApp {}

  private static WebApp app;

  @BeforeAll
  static void start(RedisServer server) {
    app =
        WebApp.start(
            ActuatorApp.class,
            server,
            "management.endpoints.web.exposure.include=health,locks",
            "management.endpoint.health.show-details=always");
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  private static ReactiveLocker locker() {
    return app.bean(ReactiveLocker.class);
  }

  @Test
  void theHealthOfTheStoreIsShownWithItsRoundTrip() {
    app.client()
        .get()
        .uri("/actuator/health/monolock")
        .exchange()
        .expectStatus()
        .isOk()
        .expectBody()
        .jsonPath("$.status")
        .isEqualTo("UP")
        .jsonPath("$.details.topology")
        .isEqualTo("standalone")
        .jsonPath("$.details.wakeUps")
        .exists()
        .jsonPath("$.details.roundTripMillis")
        .isNumber();
  }

  @Test
  void locksThatAreHeldAndWaitedForAreListedWithoutTheirTokens() {
    Lock lock = locker().acquire("order:42", LONG).block(LIMIT);
    Disposable waiter = locker().acquire("order:42", LONG).subscribe(late -> {}, e -> {});
    await()
        .untilAsserted(
            () ->
                app.client()
                    .get()
                    .uri("/actuator/locks")
                    .exchange()
                    .expectStatus()
                    .isOk()
                    .expectBody()
                    .jsonPath("$.locks.length()")
                    .isEqualTo(2));
    String body =
        app.client()
            .get()
            .uri("/actuator/locks")
            .exchange()
            .expectBody(String.class)
            .returnResult()
            .getResponseBody();
    assertThat(body)
        .contains("\"state\":\"held\"", "\"state\":\"waiting\"", "\"keys\":[\"order:42\"]")
        .containsPattern("\"locker\":\"monolockLocker\"")
        .containsPattern("\"ageMillis\":\\d+,\"remainingMillis\":[1-5]\\d{4}\\b")
        .doesNotContain(lock.token());
    waiter.dispose();
    lock.release().block(LIMIT);
    await()
        .untilAsserted(
            () ->
                app.client()
                    .get()
                    .uri("/actuator/locks")
                    .exchange()
                    .expectBody()
                    .json("{\"locks\": []}"));
  }

  private static Health health(LockStore store, Duration limit) {
    return new StoreHealthIndicator(store, limit).health().block(LIMIT);
  }

  @Test
  void aStoreThatFailsIsDown() {
    LockStore store = InMemoryLockStore.create();
    assertThat(health(store, LIMIT).getStatus()).isEqualTo(Status.UP);
    store.close().block(LIMIT);
    assertThat(health(store, LIMIT).getStatus()).isEqualTo(Status.DOWN);
  }

  @Test
  void aStoreThatDoesNotAnswerIsDown() {
    LockStore store = mock(LockStore.class);
    when(store.health()).thenReturn(Mono.never());
    Health health = health(store, Duration.ofMillis(20));
    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
    assertThat(health.getDetails().get("error").toString()).contains("no answer within 20 ms");
  }

  @Test
  void aStoreWithoutHealthIsUnknown() {
    LockStore store = mock(LockStore.class);
    when(store.health()).thenReturn(Mono.empty());
    assertThat(health(store, LIMIT).getStatus()).isEqualTo(Status.UNKNOWN);
  }

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  MonolockAutoConfiguration.class,
                  HealthAutoConfiguration.class,
                  EndpointAutoConfiguration.class))
          .withBean("store", LockStore.class, InMemoryLockStore::create);

  @Test
  void eachOfSeveralStoresHasItsHealth() {
    runner
        .withBean(
            "other",
            LockStore.class,
            InMemoryLockStore::create,
            definition -> definition.setPrimary(true))
        .run(
            context ->
                assertThat(context.getBean(CompositeReactiveHealthContributor.class).stream())
                    .extracting(entry -> entry.name())
                    .containsExactlyInAnyOrder("store", "other"));
  }

  @Test
  void theHealthCanBeSwitchedOff() {
    runner
        .withPropertyValues("management.health.monolock.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(ReactiveHealthContributor.class));
  }

  @Test
  void theEndpointIsThereOnlyIfItIsExposed() {
    runner.run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
    runner
        .withPropertyValues("management.endpoints.web.exposure.include=locks")
        .run(context -> assertThat(context).hasSingleBean(LocksEndpoint.class));
  }
}
