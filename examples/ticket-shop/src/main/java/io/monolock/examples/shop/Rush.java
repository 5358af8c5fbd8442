// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Buyers at one box office after the other, and a line of a table for each. */
final class Rush {

  private static final List<String> BOX_OFFICES =
      List.of("unlocked", "annotated", "functional", "suspend");

  private final WebClient shop;
  private final Buyers buyers;
  private final Consumer<String> out;

  Rush(WebClient shop, Buyers buyers, Consumer<String> out) {
    this.shop = shop;
    this.buyers = buyers;
    this.out = out;
  }

  /** Whether a seat was sold twice under a lock. */
  Mono<Boolean> run() {
    out.accept(
        "%-11s %8s %8s %8s %6s %9s %15s %11s"
            .formatted(
                "box office",
                "served",
                "sold out",
                "refused",
                "left",
                "423s",
                "wait p50/max ms",
                "sold twice"));
    return Flux.fromIterable(BOX_OFFICES).concatMap(this::rush).reduce(false, Boolean::logicalOr);
  }

  private Mono<Boolean> rush(String boxOffice) {
    String show = boxOffice + "-" + Long.toString(System.nanoTime(), Character.MAX_RADIX);
    return buyers
        .buy(boxOffice, show)
        .zipWhen(visits -> sales(show))
        .map(
            result -> {
              out.accept(line(boxOffice, result.getT1(), result.getT2()));
              return result.getT2().soldTwice() > 0 && !boxOffice.equals("unlocked");
            });
  }

  private Mono<Seats.Sales> sales(String show) {
    return shop.get().uri("/sales/{show}", show).retrieve().bodyToMono(Seats.Sales.class);
  }

  private static String line(String boxOffice, List<Visit> visits, Seats.Sales sales) {
    List<Duration> waits = visits.stream().map(Visit::took).sorted().toList();
    return "%-11s %8d %8d %8d %6d %9d %15s %11d"
        .formatted(
            boxOffice,
            count(visits, Visit.End.SERVED),
            count(visits, Visit.End.SOLD_OUT),
            count(visits, Visit.End.REFUSED),
            count(visits, Visit.End.LEFT),
            visits.stream().mapToInt(Visit::refusals).sum(),
            waits.get(waits.size() / 2).toMillis() + "/" + waits.get(waits.size() - 1).toMillis(),
            sales.soldTwice());
  }

  private static long count(List<Visit> visits, Visit.End end) {
    return visits.stream().filter(visit -> visit.end() == end).count();
  }
}
