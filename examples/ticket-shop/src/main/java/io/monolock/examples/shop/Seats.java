// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.stereotype.Repository;
import reactor.core.publisher.Mono;

/**
 * The seats of all shows, in Redis. A sale looks for the next free seat, is paid, and only then
 * taken down: two at a time would sell one seat twice, which is counted. Callers of {@link #sell}
 * have to exclude each other.
 */
@Repository
public class Seats {

  private final Shop shop;
  private final ReactiveStringRedisTemplate redis;

  Seats(Shop shop, ReactiveStringRedisTemplate redis) {
    this.shop = shop;
    this.redis = redis;
  }

  /**
   * Sells the next free seat.
   *
   * @param show the show
   * @param buyer the buyer's name
   * @return the ticket, or {@link SoldOut}
   */
  public Mono<Ticket> sell(String show, String buyer) {
    return redis
        .opsForHash()
        .size(seats(show))
        .map(sold -> new Ticket(show, sold + 1, buyer))
        .filter(ticket -> ticket.seat() <= shop.seats())
        .switchIfEmpty(Mono.error(() -> new SoldOut(show)))
        .delayElement(shop.payment())
        .delayUntil(this::takeDown);
  }

  private Mono<?> takeDown(Ticket ticket) {
    return redis
        .opsForHash()
        .putIfAbsent(seats(ticket.show()), "" + ticket.seat(), ticket.buyer())
        .flatMap(
            wasFree ->
                wasFree ? Mono.just(0L) : redis.opsForValue().increment(soldTwice(ticket.show())));
  }

  /**
   * How a show sells.
   *
   * @param show the show
   * @return the count
   */
  public Mono<Sales> sales(String show) {
    return Mono.zip(
        redis.opsForHash().size(seats(show)),
        redis.opsForValue().get(soldTwice(show)).map(Long::valueOf).defaultIfEmpty(0L),
        (sold, soldTwice) -> new Sales(show, shop.seats(), sold, soldTwice));
  }

  private static String seats(String show) {
    return "seats:" + show;
  }

  private static String soldTwice(String show) {
    return "sold-twice:" + show;
  }

  /**
   * How a show sells.
   *
   * @param show the show
   * @param seats how many it has
   * @param sold how many of them are sold
   * @param soldTwice how many tickets are for a seat that was sold before
   */
  public record Sales(String show, int seats, long sold, long soldTwice) {}
}
