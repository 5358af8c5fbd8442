// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Sells the whole show twice: first without a lock, then under it. */
final class Simulation {

  private final RedisURI redis;
  private final SalePlan plan;
  private final ProgressLine progress;
  private final LockStatistics statistics = new LockStatistics();

  Simulation(RedisURI redis, SalePlan plan, ProgressLine progress) {
    this.redis = redis;
    this.plan = plan;
    this.progress = progress;
  }

  /** Starts the instances, sells, and stops the instances in any case. */
  Mono<SalesReport> run() {
    return Mono.usingWhen(
        Mono.fromSupplier(this::startInstances),
        instances ->
            Flux.fromIterable(instances)
                .concatMap(ServiceInstance::office)
                .collectList()
                .flatMap(this::sellBothWays),
        instances -> Flux.fromIterable(instances).flatMap(ServiceInstance::stop));
  }

  private List<ServiceInstance> startInstances() {
    return IntStream.range(0, plan.instances())
        .mapToObj(i -> new ServiceInstance(redis, plan, statistics))
        .toList();
  }

  private Mono<SalesReport> sellBothWays(List<TicketOffice> offices) {
    TicketOffice anyOffice = offices.get(0);
    Mono<Sale> withoutLock =
        sellOut(
            "Without a lock",
            offices,
            TicketOffice::sellWithoutLock,
            SalePlan.LONGEST_UNGUARDED_SALE);
    Mono<Sale> underLock =
        sellOut("Under the lock", offices, TicketOffice::sellUnderLock, plan.longestSale());
    return withoutLock
        .zipWhen(sale -> underLock)
        .flatMap(
            sales ->
                anyOffice
                    .close()
                    .then(anyOffice.locksLeft())
                    .map(left -> new SalesReport(sales.getT1(), sales.getT2(), statistics, left)));
  }

  private Mono<Sale> sellOut(
      String how,
      List<TicketOffice> offices,
      BiFunction<TicketOffice, Ledger, Mono<Boolean>> way,
      Duration atMost) {
    return Mono.defer(
        () -> {
          Ledger ledger = new Ledger(plan.seats());
          long closing = System.nanoTime() + atMost.toNanos();
          Mono<Sale> sale =
              offices
                  .get(0)
                  .open(plan.seats())
                  .thenMany(Flux.fromIterable(offices))
                  .flatMap(office -> buyers(way.apply(office, ledger), closing), offices.size())
                  .then(Mono.just(ledger))
                  .timed()
                  .map(timed -> new Sale(timed.get(), timed.elapsed()));
          return progress.during(sale, () -> line(how, ledger));
        });
  }

  /** All buyers at one office: each buys seat after seat until there is none left. */
  private Flux<Boolean> buyers(Mono<Boolean> buyOne, long closing) {
    Flux<Boolean> buyer =
        buyOne.repeat(plan.seats()).takeUntil(sold -> !sold || System.nanoTime() - closing > 0);
    return Flux.range(0, plan.buyers()).flatMap(number -> buyer, plan.buyers());
  }

  private String line(String how, Ledger ledger) {
    return String.format(
        Locale.ROOT,
        "%s: %,d tickets sold for %,d seats, %,d of them for a seat sold before",
        how,
        ledger.seatsSold(),
        plan.seats(),
        ledger.soldTwice());
  }
}
