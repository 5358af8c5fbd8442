// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Buyers that come to a shop all at once; some of them hang up before they are served. */
public final class Buyers {

  private static final int VISITS = 4;
  private static final int LONGEST_STAY_MS = 400;
  private static final int LONGEST_PAUSE_MS = 300;

  private final List<WebClient> shops;
  private final int count;
  private final double hurried;

  /**
   * Buyers with these habits.
   *
   * @param shops instances of the shop, to which they go in turn
   * @param count how many they are
   * @param hurried how many of them hang up after a short while, from 0 to 1
   */
  public Buyers(List<WebClient> shops, int count, double hurried) {
    this.shops = List.copyOf(shops);
    this.count = count;
    this.hurried = hurried;
  }

  /**
   * Each of them buys one ticket.
   *
   * @param boxOffice the first part of its path
   * @param show the show
   * @return how each of them fared
   */
  public Mono<List<Visit>> buy(String boxOffice, String show) {
    return Flux.range(0, count)
        .flatMap(
            buyer -> {
              WebClient shop = shops.get(buyer % shops.size());
              Mono<HttpStatusCode> sale =
                  shop.post()
                      .uri("/{boxOffice}/{show}/{buyer}", boxOffice, show, "buyer-" + buyer)
                      .exchangeToMono(
                          answer -> answer.releaseBody().thenReturn(answer.statusCode()));
              return isHurried() ? hangUp(sale) : visit(sale, 0);
            },
            count)
        .collectList();
  }

  private boolean isHurried() {
    return ThreadLocalRandom.current().nextDouble() < hurried;
  }

  /** Cancelling the request closes the connection, which the server sees. */
  private Mono<Visit> hangUp(Mono<HttpStatusCode> sale) {
    Duration stay = Duration.ofMillis(ThreadLocalRandom.current().nextInt(LONGEST_STAY_MS));
    return visit(sale, VISITS - 1).timeout(stay, Mono.just(new Visit(Visit.End.LEFT, 0, stay)));
  }

  private Mono<Visit> visit(Mono<HttpStatusCode> sale, int refusals) {
    return sale.elapsed()
        .flatMap(
            answer -> {
              Duration took = Duration.ofMillis(answer.getT1());
              HttpStatusCode status = answer.getT2();
              if (!status.isSameCodeAs(HttpStatus.LOCKED)) {
                return Mono.just(new Visit(end(status), refusals, took));
              }
              return refusals + 1 == VISITS
                  ? Mono.just(new Visit(Visit.End.REFUSED, VISITS, took))
                  : visit(sale, refusals + 1).delaySubscription(pause());
            });
  }

  private static Duration pause() {
    return Duration.ofMillis(ThreadLocalRandom.current().nextInt(LONGEST_PAUSE_MS));
  }

  private static Visit.End end(HttpStatusCode status) {
    if (status.is2xxSuccessful()) {
      return Visit.End.SERVED;
    }
    return status.isSameCodeAs(HttpStatus.GONE) ? Visit.End.SOLD_OUT : Visit.End.FAILED;
  }
}
