// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockActivity;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The claims of a locker that are not settled yet: to close and to list them, no more. */
final class OpenClaims {

  private final Set<Claim> claims = ConcurrentHashMap.newKeySet();
  private final Sinks.Empty<Void> allSettled = Sinks.empty();
  private final AtomicBoolean closed = new AtomicBoolean();

  boolean isClosed() {
    return closed.get();
  }

  /** False if the locker is closed: then the claim must send nothing. */
  boolean add(Claim claim) {
    claims.add(claim);
    if (closed.get()) {
      remove(claim);
      return false;
    }
    return true;
  }

  void remove(Claim claim) {
    claims.remove(claim);
    signalIfAllSettled();
  }

  /** From now on no claim is added; true for the first caller. */
  boolean close() {
    return closed.compareAndSet(false, true);
  }

  /**
   * Asks the owners of all claims to end.
   *
   * @param now whether bodies with finishOnCancel have to end, too
   */
  void end(boolean now) {
    inOrder().forEach(claim -> claim.end(now));
    signalIfAllSettled();
  }

  /** Ends releases that are unanswered. */
  void abandonReleases() {
    inOrder().forEach(Claim::abandonRelease);
  }

  /** In the order in which they were made, as that of the set differs from run to run. */
  private List<Claim> inOrder() {
    return claims.stream().sorted(Comparator.comparingLong(claim -> claim.id)).toList();
  }

  List<LockActivity> activity() {
    return claims.stream()
        .flatMap(claim -> claim.activity().stream())
        .sorted(Comparator.comparingLong(LockActivity::id))
        .toList();
  }

  int size() {
    return claims.size();
  }

  Mono<Void> allSettled() {
    return allSettled.asMono();
  }

  private void signalIfAllSettled() {
    if (closed.get() && claims.isEmpty()) {
      allSettled.tryEmitEmpty();
    }
  }
}
