// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** The shop over real HTTP, with buyers of whom some hang up. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class TicketShopTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int BUYERS = 200;
  private static final double HURRIED = 0.3;

  @Autowired private RedisServer redis;
  @Autowired private Shop settings;
  @LocalServerPort private int port;

  private WebClient shop() {
    return WebClient.create("http://localhost:" + port);
  }

  private static Seats.Sales sales(WebClient shop, String show) {
    return Objects.requireNonNull(
        shop.get().uri("/sales/" + show).retrieve().bodyToMono(Seats.Sales.class).block(LIMIT));
  }

  /** How many visits ended in which way. */
  private static Map<Visit.End, Long> ends(List<Visit> visits) {
    return visits.stream().collect(Collectors.groupingBy(Visit::end, Collectors.counting()));
  }

  private void awaitFree(String show) {
    await().atMost(LIMIT).until(() -> redis.commandAsLong("EXISTS", "show:" + show) == 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"annotated", "functional", "suspend"})
  void buyersThatPartlyHangUpAreSoldNoSeatTwiceAndLeaveNoKey(String boxOffice) {
    String show = "crowded-" + boxOffice;

    List<Visit> visits =
        Objects.requireNonNull(
            new Buyers(List.of(shop()), BUYERS, HURRIED).buy(boxOffice, show).block(LIMIT));

    assertThat(visits).hasSize(BUYERS);
    assertThat(ends(visits))
        .containsKeys(Visit.End.SERVED, Visit.End.LEFT)
        .doesNotContainKey(Visit.End.FAILED);
    awaitFree(show);
    Seats.Sales sales = sales(shop(), show);
    long served = ends(visits).get(Visit.End.SERVED);
    assertThat(sales.soldTwice()).isZero();
    assertThat(sales.sold()).isBetween(served, (long) settings.seats());
  }

  @Test
  void withoutALockSeatsAreSoldTwice() {
    new Buyers(List.of(shop()), BUYERS, 0).buy("unlocked", "crowded").block(LIMIT);

    assertThat(sales(shop(), "crowded").soldTwice()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"annotated", "functional", "suspend"})
  void aBuyerThatWaitsTooLongLearnsWhenToComeBack(String boxOffice) {
    redis.command("SET", "show:taken", "a-token-of-another-process", "PX", "30000");

    ResponseEntity<String> answer = refused(boxOffice);

    assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.LOCKED);
    assertThat(answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER))
        .matches(seconds -> Integer.parseInt(seconds) >= 25 && Integer.parseInt(seconds) <= 30);
    assertThat(answer.getBody()).doesNotContain("show:taken", "a-token");
  }

  private ResponseEntity<String> refused(String boxOffice) {
    return Objects.requireNonNull(
        shop()
            .post()
            .uri("/" + boxOffice + "/taken/ann")
            .retrieve()
            .onStatus(status -> true, answer -> Mono.empty())
            .toEntity(String.class)
            .block(LIMIT));
  }

  @Test
  void twoInstancesSellTheSameSeatsOnce() {
    try (ConfigurableApplicationContext other =
        new SpringApplicationBuilder(TicketShop.class)
            .run("--server.port=0", "--spring.data.redis.url=" + redis.uri())) {
      WebClient there =
          WebClient.create(
              "http://localhost:" + other.getEnvironment().getProperty("local.server.port"));

      List<Visit> visits =
          Objects.requireNonNull(
              new Buyers(List.of(shop(), there), BUYERS, HURRIED)
                  .buy("annotated", "shared")
                  .block(LIMIT));

      assertThat(ends(visits)).containsKey(Visit.End.SERVED).doesNotContainKey(Visit.End.FAILED);
      awaitFree("shared");
      assertThat(sales(there, "shared").soldTwice()).isZero();
    }
  }

  @Test
  void rushShowsHowEachBoxOfficeFared() {
    List<String> lines = new ArrayList<>();

    Boolean soldTwice =
        new Rush(shop(), new Buyers(List.of(shop()), 20, 0), lines::add).run().block(LIMIT);

    assertThat(soldTwice).isFalse();
    assertThat(lines).hasSize(5);
    assertThat(lines.get(0)).contains("423s").contains("sold twice");
    assertThat(lines.get(1)).startsWith("unlocked");
    assertThat(lines.subList(2, 5)).allMatch(line -> line.endsWith(" 0"));
  }
}
