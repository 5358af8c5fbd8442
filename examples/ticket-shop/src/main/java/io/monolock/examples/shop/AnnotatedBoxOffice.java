// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import io.monolock.spring.Locked;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Sells under a lock that an annotation asks for. */
@RestController
class AnnotatedBoxOffice {

  private final Sale sale;

  AnnotatedBoxOffice(Sale sale) {
    this.sale = sale;
  }

  @PostMapping("/annotated/{show}/{buyer}")
  Mono<Ticket> sell(@PathVariable String show, @PathVariable String buyer) {
    return sale.sell(show, buyer);
  }

  /** A bean of its own, as calls within one bean pass by its annotations. */
  @Service
  static class Sale {

    private final Seats seats;

    Sale(Seats seats) {
      this.seats = seats;
    }

    @Locked(keys = "'show:' + #show")
    Mono<Ticket> sell(String show, String buyer) {
      return seats.sell(show, buyer);
    }
  }
}
