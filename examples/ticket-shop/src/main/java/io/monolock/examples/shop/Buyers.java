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

/** Buyers who come to a shop all at once; some of them hang up before they are served. */
public final class Crowd {

  private static final int VISITS = 4;
  private static final int LONGEST_PATIENCE_MS = 400;
  private static final int LONGEST_PAUSE_MS = 300;

  private final List<WebClient> shops;
  private final int buyers;
  private final double hurried;

  /**
   * A crowd.
   *
   * @param shops instances of the shop, to which they go in turn
   * @param buyers how many they are
   * @param hurried how many of them hang up after a short while, from 0 to 1
   */
  public Crowd(List<WebClient> shops, int buyers, double hurried) {
    this.shops = List.copyOf(shops);
    this.buyers = buyers;
    this.hurried = hurried;
  }

  /**
   * Everybody buys one ticket.
   *
   * @param way the box office: the first part of its path
   * @param show what for
   * @return how each of them fared
   */
  public Mono<List<Visit>> buy(String way, String show) {
    return Flux.range(0, buyers)
        .flatMap(
            buyer -> {
              WebClient shop = shops.get(buyer % shops.size());
              Mono<HttpStatusCode> sale =
                  shop.post()
                      .uri("/{way}/{show}/{buyer}", way, show, "buyer-" + buyer)
                      .exchangeToMono(
                          answer -> answer.releaseBody().thenReturn(answer.statusCode()));
              return isHurried() ? hangUp(sale) : visit(sale, 0);
            },
            buyers)
        .collectList();
  }

  private boolean isHurried() {
    return ThreadLocalRandom.current().nextDouble() < hurried;
  }

  /** Cancelling the request closes the connection, which the server sees. */
  private Mono<Visit> hangUp(Mono<HttpStatusCode> sale) {
    Duration patience = Duration.ofMillis(ThreadLocalRandom.current().nextInt(LONGEST_PATIENCE_MS));
    return visit(sale, VISITS - 1)
        .timeout(patience, Mono.just(new Visit(Visit.End.LEFT, 0, patience)));
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
