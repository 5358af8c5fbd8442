// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.web;

import io.monolock.LockNotAcquiredException;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Tests of users that have the web part of their application only see the same answers. */
@WebFluxTest
@Import(WebFluxSliceTest.Tickets.class)
class WebFluxSliceTest {

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class App {}

  @RestController
  static class Tickets {
    @GetMapping("/ticket")
    Mono<String> buy() {
      return Mono.error(
          new LockNotAcquiredException(Set.of("seat"), 1, Duration.ZERO, Duration.ofSeconds(5)));
    }
  }

  @Autowired private WebTestClient client;

  @Test
  void aLockThatIsHeldIsTheSameProblemInASlice() {
    client
        .get()
        .uri("/ticket")
        .exchange()
        .expectStatus()
        .isEqualTo(423)
        .expectHeader()
        .valueEquals(HttpHeaders.RETRY_AFTER, "5");
  }
}
