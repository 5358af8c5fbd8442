// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.web.reactive.function.server.RequestPredicates.GET;
import static org.springframework.web.reactive.function.server.RouterFunctions.route;

import io.monolock.LockException;
import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import io.monolock.spring.WebApp;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** The answers to clients for the errors of locks, over real HTTP. */
class LockProblemsTest {

  private static final String KEY = "secret-key";
  private static final Set<String> KEYS = Set.of(KEY);

  private static final String[] ENDPOINTS = {"annotated", "functional"};

  /** Fails each request in the way that its path says. */
  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class ProblemsApp {

    private static final Map<String, Exception> ERRORS =
        Map.ofEntries(
            Map.entry("busy", notAcquired(Duration.ofMillis(4_001))),
            Map.entry("busySoon", notAcquired(Duration.ofMillis(1))),
            Map.entry("busyForEver", notAcquired(null)),
            Map.entry("lost", lost(LockLostException.Reason.TAKEN)),
            Map.entry("expired", lost(LockLostException.Reason.EXPIRED)),
            Map.entry("unreachable", lost(LockLostException.Reason.UNREACHABLE)),
            Map.entry("refused", lost(LockLostException.Reason.REFUSED)),
            Map.entry("trouble", ofStore(StoreProblem.Reason.UNAVAILABLE, true)),
            Map.entry("misuse", ofStore(StoreProblem.Reason.MISUSE, false)),
            Map.entry("closed", new LockerClosedException(KEYS)),
            Map.entry("other", new IllegalStateException("something else")));

    private static LockException lost(LockLostException.Reason reason) {
      return new LockLostException(KEYS, reason);
    }

    private static LockException notAcquired(@Nullable Duration retryAfter) {
      return new LockNotAcquiredException(KEYS, 1, Duration.ZERO, retryAfter);
    }

    private static LockException ofStore(StoreProblem.Reason reason, boolean isTransient) {
      return new LockStoreException(KEYS, reason, isTransient, "host of Redis", null);
    }

    Mono<String> fail(String how) {
      return Mono.error(ERRORS.get(how));
    }

    @Bean
    Annotated annotated() {
      return new Annotated(this);
    }

    @Bean
    OwnHandler ownHandler() {
      return new OwnHandler(this);
    }

    @Bean
    RouterFunction<ServerResponse> functional() {
      return route(
          GET("/functional/{how}"),
          request ->
              fail(request.pathVariable("how"))
                  .flatMap(text -> ServerResponse.ok().bodyValue(text)));
    }
  }

  @RestController
  record Annotated(ProblemsApp app) {
    @GetMapping("/annotated/{how}")
    Mono<String> fail(@PathVariable String how) {
      return app.fail(how);
    }
  }

  @RestController
  record OwnHandler(ProblemsApp app) {
    @GetMapping("/own")
    Mono<String> fail() {
      return app.fail("busy");
    }

    @ExceptionHandler
    ResponseEntity<String> handle(LockNotAcquiredException busy) {
      return ResponseEntity.status(418).body("own");
    }
  }

  private static WebApp app;
  private static WebTestClient client;

  @BeforeAll
  static void start() {
    app = WebApp.start(ProblemsApp.class);
    client = app.client();
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @Test
  void aLockThatIsHeldIsAProblemThatSaysWhenToTryAgain() {
    for (String endpoint : ENDPOINTS) {
      client
          .get()
          .uri("/" + endpoint + "/busy")
          .exchange()
          .expectStatus()
          .isEqualTo(423)
          .expectHeader()
          .contentType(MediaType.APPLICATION_PROBLEM_JSON)
          .expectHeader()
          .valueEquals(HttpHeaders.RETRY_AFTER, "5")
          .expectBody()
          .json(
              """
                    {
                      "title": "Locked",
                      "status": 423,
                      "detail": "Another request is working on this. Try again later.",
                      "instance": "/%s/busy"
                    }
                    """
                  .formatted(endpoint));
    }
  }

  @Test
  void eachErrorHasItsStatusAndItsAnswerNamesNoKeysAndServers() {
    for (String endpoint : ENDPOINTS) {
      for (String[] row :
          new String[][] {
            {"busySoon", "423", "1"},
            {"busyForEver", "423", null},
            {"lost", "409", null},
            {"expired", "409", null},
            {"unreachable", "503", null},
            {"refused", "503", null},
            {"trouble", "503", null},
            {"misuse", "500", null},
            {"closed", "503", null}
          }) {
        client
            .get()
            .uri("/" + endpoint + "/" + row[0])
            .exchange()
            .expectStatus()
            .isEqualTo(Integer.parseInt(row[1]))
            .expectHeader()
            .contentType(MediaType.APPLICATION_PROBLEM_JSON)
            .expectHeader()
            .values(
                HttpHeaders.RETRY_AFTER,
                values -> assertThat(values == null ? null : values.get(0)).isEqualTo(row[2]))
            .expectBody(String.class)
            .value(
                body ->
                    assertThat(body)
                        .contains("\"detail\":\"")
                        .doesNotContain(KEY, "host of Redis"));
      }
    }
  }

  @Test
  void otherErrorsAreLeftToOtherHandlers() {
    client
        .get()
        .uri("/functional/other")
        .exchange()
        .expectStatus()
        .isEqualTo(500)
        .expectHeader()
        .contentType(MediaType.APPLICATION_JSON);
  }

  @Test
  void anExceptionHandlerOfTheApplicationComesFirst() {
    client.get().uri("/own").exchange().expectStatus().isEqualTo(418);
  }

  @Test
  void theStatusAndWhetherKeysAreShownCanBeSet() {
    try (var other =
        WebApp.start(
            ProblemsApp.class,
            "monolock.web.not-acquired-status=409",
            "monolock.web.show-keys=true")) {
      other
          .client()
          .get()
          .uri("/annotated/busy")
          .exchange()
          .expectStatus()
          .isEqualTo(409)
          .expectBody()
          .jsonPath("$.status")
          .isEqualTo(409)
          .jsonPath("$.keys[0]")
          .isEqualTo(KEY);
    }
  }

  @Test
  void problemDetailsCanBeSwitchedOff() {
    try (var other = WebApp.start(ProblemsApp.class, "monolock.web.enabled=false")) {
      other.client().get().uri("/annotated/busy").exchange().expectStatus().isEqualTo(500);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "application/problem+json",
        "text/html,application/xhtml+xml,*/*;q=0.8",
        "text/plain",
        "nonsense"
      })
  void theAnswerIsJsonWhateverTheClientAccepts(String accept) {
    client
        .get()
        .uri("/functional/busy")
        .header(HttpHeaders.ACCEPT, accept)
        .exchange()
        .expectStatus()
        .isEqualTo(423)
        .expectHeader()
        .contentType(MediaType.APPLICATION_PROBLEM_JSON);
  }

  @ParameterizedTest
  @ValueSource(ints = {399, 600, 0})
  void aStatusThatIsNoErrorIsRefused(int status) {
    assertThatThrownBy(() -> new WebProperties(true, status, false).notAcquired())
        .hasMessage("monolock.web.not-acquired-status must be between 400 and 599, was " + status);
  }
}
