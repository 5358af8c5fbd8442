// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import static org.springframework.web.reactive.function.server.RouterFunctions.route;

import io.monolock.ReactiveLocker;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** Sells under a lock that the handler asks for; also without one, to see what happens then. */
@Configuration(proxyBeanMethods = false)
class FunctionalBoxOffice {

  private final ReactiveLocker locker;
  private final Seats seats;

  FunctionalBoxOffice(ReactiveLocker locker, Seats seats) {
    this.locker = locker;
    this.seats = seats;
  }

  @Bean
  RouterFunction<ServerResponse> routes() {
    return route()
        .POST("/functional/{show}/{buyer}", request -> answer(locked(request)))
        .POST("/unlocked/{show}/{buyer}", request -> answer(sell(request)))
        .GET("/sales/{show}", this::sales)
        .build();
  }

  private Mono<Ticket> locked(ServerRequest request) {
    return locker.withLock(
        "show:" + request.pathVariable("show"), locker.defaults(), lock -> sell(request));
  }

  private Mono<Ticket> sell(ServerRequest request) {
    return seats.sell(request.pathVariable("show"), request.pathVariable("buyer"));
  }

  private Mono<ServerResponse> answer(Mono<Ticket> ticket) {
    return ticket.flatMap(ServerResponse.ok()::bodyValue);
  }

  private Mono<ServerResponse> sales(ServerRequest request) {
    return seats.sales(request.pathVariable("show")).flatMap(ServerResponse.ok()::bodyValue);
  }
}
