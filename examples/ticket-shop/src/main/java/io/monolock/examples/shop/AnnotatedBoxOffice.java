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

  private final LockedSeats lockedSeats;

  AnnotatedBoxOffice(LockedSeats lockedSeats) {
    this.lockedSeats = lockedSeats;
  }

  @PostMapping("/annotated/{show}/{buyer}")
  Mono<Ticket> sell(@PathVariable String show, @PathVariable String buyer) {
    return lockedSeats.sell(show, buyer);
  }

  /** A bean of its own, as calls within one bean pass by its annotations. */
  @Service
  static class LockedSeats {

    private final Seats seats;

    LockedSeats(Seats seats) {
      this.seats = seats;
    }

    @Locked(keys = "'show:' + #show")
    Mono<Ticket> sell(String show, String buyer) {
      return seats.sell(show, buyer);
    }
  }
}
