// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.contender.Caller;
import io.monolock.benchmarks.contender.Contender;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * One of two processes that alternate in holding a lock: while one holds it for some milliseconds,
 * the other waits. An operation is a grant, and its time is that from the call that released the
 * lock in the other process; both read the same clock.
 */
final class PingPong extends MeasuredWorkload {

  private static final int GRANTS = 16;
  private static final int RELEASED_AT = 24;
  private static final Duration LOOK_AGAIN = Duration.ofMillis(1);

  private final SharedLongs memory;
  private final ExclusionCheck exclusion;
  private final Caller caller;
  private final long owner;
  private Disposable running = () -> {};

  PingPong(Contender contender, Path shared) {
    memory = new SharedLongs(shared);
    exclusion = new ExclusionCheck(shared);
    owner = exclusion.newOwner();
    caller = contender.caller(List.of(HotKey.key(shared)), owner);
  }

  @Override
  public void start() {
    running =
        Mono.defer(caller::acquire)
            .flatMap(this::hold)
            .repeat()
            .subscribe(ended -> {}, statistics::failed);
  }

  private Mono<Void> hold(Mono<?> release) {
    long now = System.nanoTime();
    exclusion.enter(owner);
    long releasedAt = memory.get(RELEASED_AT);
    if (releasedAt != 0) {
      statistics.done(now - releasedAt);
    }
    long grants = memory.addAndGet(GRANTS, 1);
    return Pause.some()
        .then(
            Mono.defer(
                () -> {
                  exclusion.leave(owner);
                  memory.set(RELEASED_AT, System.nanoTime());
                  return release;
                }))
        .then(otherProcessHoldsIt(grants));
  }

  /** The process that has just released must not be the next holder. */
  private Mono<Void> otherProcessHoldsIt(long grants) {
    return Mono.delay(LOOK_AGAIN).repeat(() -> memory.get(GRANTS) == grants).then();
  }

  @Override
  public Sample sample() {
    return statistics.sample().with(Metric.VIOLATIONS, exclusion.violations());
  }

  @Override
  public void stop() {
    running.dispose();
  }
}
