// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.spring.Locked.OnBusy;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The code that README, docs and javadoc show of Spring, run in a real application. */
@ExtendWith(RedisExtension.class)
class Snippets {

  record Receipt(String order) {}

  static class Payments {
    Mono<Receipt> charge(long id) {
      return Mono.just(new Receipt("order:" + id));
    }
  }

  @Service
  static class Orders {

    private final Payments payments = new Payments();

    @Locked(keys = "'order:' + #id", ttl = "10s", waitAtMost = "2s")
    Mono<Receipt> pay(long id) {
      return payments.charge(id);
    }
  }

  static class Reports {

    final AtomicInteger written = new AtomicInteger();

    Mono<Void> write() {
      return Mono.fromRunnable(written::incrementAndGet);
    }
  }

  @Service
  static class Jobs {

    private final Reports reports;

    Jobs(Reports reports) {
      this.reports = reports;
    }

    @Scheduled(cron = "0 0 3 * * *")
    @Locked(key = "nightly-report", onBusy = OnBusy.SKIP, holdAtLeast = "10m")
    Mono<Void> writeReport() {
      return reports.write();
    }
  }

  @RestController
  record OrderEndpoint(Orders orders) {
    @PostMapping("/orders/{id}/payment")
    Mono<Receipt> pay(@PathVariable long id) {
      return orders.pay(id);
    }
  }

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class App {

    private final Payments payments = new Payments();

    @Bean
    Orders orders() {
      return new Orders();
    }

    @Bean
    Reports reportWriter() {
      return new Reports();
    }

    @Bean
    Jobs jobs(Reports reports) {
      return new Jobs(reports);
    }

    @Bean
    OrderEndpoint orderEndpoint(Orders orders) {
      return new OrderEndpoint(orders);
    }

    @Bean
    RouterFunction<ServerResponse> functional(ReactiveLocker locker) {
      return RouterFunctions.route(
          RequestPredicates.POST("/functional/orders/{id}/payment"),
          request -> {
            long id = Long.parseLong(request.pathVariable("id"));
            Mono<Receipt> receipt =
                locker.withLock("order:" + id, Duration.ofSeconds(10), payments.charge(id));
            return ServerResponse.ok().body(receipt, Receipt.class);
          });
    }

    @Bean(defaultCandidate = false)
    ReactiveLocker reports(ReactiveLocker.Builder builder) {
      return builder.defaults(LockOptions.of(Duration.ofMinutes(5))).build();
    }

    @Bean
    LockerBuilderCustomizer ownScheduler() {
      return builder -> builder.publishOn(Schedulers.boundedElastic());
    }
  }

  private static WebApp app;

  @BeforeAll
  static void start(RedisServer server) {
    app = WebApp.start(App.class, server, "monolock.wait-at-most=0s");
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @Test
  void aPaymentIsMadeUnderItsLock() {
    for (String path : new String[] {"/orders/42/payment", "/functional/orders/42/payment"}) {
      Receipt receipt =
          app.client()
              .post()
              .uri(path)
              .exchange()
              .expectStatus()
              .isOk()
              .expectBody(Receipt.class)
              .returnResult()
              .getResponseBody();
      assertThat(receipt).isEqualTo(new Receipt("order:42"));
    }
  }

  @Test
  void aPaymentUnderWayElsewhereIsRefused(RedisServer server) {
    app.bean(ReactiveLocker.class)
        .acquire("order:42", LockOptions.of(Duration.ofSeconds(60)))
        .flatMap(
            lock ->
                Mono.fromRunnable(
                        () ->
                            app.client()
                                .post()
                                .uri("/functional/orders/42/payment")
                                .exchange()
                                .expectStatus()
                                .isEqualTo(HttpStatus.LOCKED)
                                .expectHeader()
                                .exists("Retry-After")
                                .expectBody(ProblemDetail.class))
                    .then(lock.release()))
        .subscribeOn(Schedulers.boundedElastic())
        .block(Duration.ofSeconds(60));
    assertThat(server.commandAsLong("EXISTS", "order:42")).isZero();
  }

  @Test
  void aJobRunsOnceForAllItsTicksInTheTimeThatItHolds() {
    Jobs jobs = app.bean(Jobs.class);
    Flux.range(0, 3).concatMap(tick -> jobs.writeReport()).blockLast(Duration.ofSeconds(60));
    assertThat(app.bean(Reports.class).written).hasValue(1);
  }
}
