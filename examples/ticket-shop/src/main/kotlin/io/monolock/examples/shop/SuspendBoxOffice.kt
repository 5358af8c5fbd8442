// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop

import io.monolock.coroutines.SuspendingLocker
import kotlinx.coroutines.reactor.awaitSingle
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RestController
import kotlin.time.Duration.Companion.seconds

/** Sells under a lock that a suspend function asks for. */
@RestController
class SuspendBoxOffice(
  private val locker: SuspendingLocker,
  private val seats: Seats,
) {
  @PostMapping("/suspend/{show}/{buyer}")
  suspend fun sell(
    @PathVariable show: String,
    @PathVariable buyer: String,
  ): Ticket =
    locker.withLock("show:$show", 10.seconds) {
      seats.sell(show, buyer).awaitSingle()
    }
}
