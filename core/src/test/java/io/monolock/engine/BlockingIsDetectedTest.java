// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** BlockHound watches these tests; without it they would all pass, whatever blocks. */
class BlockingIsDetectedTest {

  @Test
  void blockingInAThreadThatMustNotBlockIsAnError() {
    Mono<Integer> blocking =
        Mono.fromCallable(
                () -> {
                  Thread.sleep(1);
                  return 1;
                })
            .subscribeOn(Schedulers.parallel());

    assertThatThrownBy(() -> blocking.block(Duration.ofSeconds(10)))
        .hasRootCauseInstanceOf(BlockingOperationError.class);
  }
}
