// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static io.monolock.micrometer.LockObservationDocumentation.ACQUIRING;
import static io.monolock.micrometer.LockObservationDocumentation.HOLDING;

import io.micrometer.observation.Observation;
import io.monolock.LockLostException;
import io.monolock.LockStoreException;
import io.monolock.micrometer.LockObservationDocumentation.Event;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition and its lock, from the first event to its end. Its events come one after the
 * other.
 *
 * <h2>The order of events</h2>
 *
 * <p>Asked, then perhaps waiting, then acquired or not; acquired, then released or lost, and a loss
 * may be followed by a release. As several threads cause the events, waiting may also come after
 * the end of the acquisition, and a release before the loss: an event out of order changes no
 * gauge, and only the first end counts.
 */
final class TrackedLock {

  private enum Stage {
    ASKED,
    WAITING,
    HELD
  }

  final GroupMeters meters;
  private final LockObservations observations;
  private final Set<String> keys;
  private final @Nullable Observation parent;
  private RunningObservation observation;
  private Stage stage = Stage.ASKED;
  private long heldSince;

  TrackedLock(
      GroupMeters meters,
      LockObservations observations,
      Set<String> keys,
      @Nullable Observation parent) {
    this.meters = meters;
    this.observations = observations;
    this.keys = keys;
    this.parent = parent;
    this.observation = observations.start(ACQUIRING, keys, meters.group, parent);
  }

  void waiting() {
    if (stage == Stage.ASKED) {
      stage = Stage.WAITING;
      meters.levels.waiting.incrementAndGet();
      meters.contended();
      observation.event(Event.CONTENDED);
    }
  }

  void acquired(Duration waited) {
    leaveStage();
    stage = Stage.HELD;
    heldSince = meters.now();
    meters.levels.held.incrementAndGet();
    meters.ended(Outcome.GRANTED, waited);
    observation.end(Outcome.GRANTED, null, null);
    observation = observations.start(HOLDING, keys, meters.group, parent);
  }

  void notAcquired(Duration waited, Throwable reason) {
    Outcome outcome = Outcome.of(reason, stage == Stage.WAITING);
    leaveStage();
    meters.ended(outcome, waited);
    StoreProblem.Reason trouble =
        reason instanceof LockStoreException store ? store.reason() : null;
    if (trouble != null) {
      meters.storeTrouble(trouble);
    }
    observation.end(outcome, trouble, outcome.isError ? reason : null);
  }

  void refreshFailed() {
    observation.event(Event.REFRESH_FAILED);
  }

  void released(Duration held, boolean wasOurs) {
    leaveStage();
    HoldEnd end = wasOurs ? HoldEnd.RELEASED : HoldEnd.NOT_OURS;
    meters.held(end, held);
    observation.end(end, null, null);
  }

  void lost(LockLostException.Reason reason) {
    leaveStage();
    meters.held(HoldEnd.LOST, Duration.ofNanos(meters.now() - heldSince));
    observation.end(HoldEnd.LOST, reason, new LockLost(reason));
  }

  private void leaveStage() {
    if (stage == Stage.WAITING) {
      meters.levels.waiting.decrementAndGet();
    } else if (stage == Stage.HELD) {
      meters.levels.held.decrementAndGet();
    }
  }
}
