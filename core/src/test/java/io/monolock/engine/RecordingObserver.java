// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockLostException;
import io.monolock.LockObserver;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records each call as words: {@code "acquired [a] attempts=1"}. */
public final class RecordingObserver implements LockObserver {

  public final List<String> events = new CopyOnWriteArrayList<>();
  public final List<Throwable> reasons = new CopyOnWriteArrayList<>();
  public final List<Long> ids = new CopyOnWriteArrayList<>();
  public final List<Duration> durations = new CopyOnWriteArrayList<>();

  private void add(long id, String event) {
    ids.add(id);
    events.add(event);
  }

  public long count(String beginning) {
    return events.stream().filter(event -> event.startsWith(beginning)).count();
  }

  @Override
  public void waiting(long id, Set<String> keys) {
    add(id, "waiting " + keys);
  }

  @Override
  public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
    durations.add(waited);
    add(id, "acquired " + keys + " attempts=" + attempts);
  }

  @Override
  public void notAcquired(
      long id, Set<String> keys, Duration waited, int attempts, Throwable reason) {
    reasons.add(reason);
    durations.add(waited);
    add(id, "notAcquired " + keys + " attempts=" + attempts);
  }

  @Override
  public void refreshed(long id, Set<String> keys) {
    add(id, "refreshed " + keys);
  }

  @Override
  public void refreshFailed(long id, Set<String> keys, Throwable reason) {
    reasons.add(reason);
    add(id, "refreshFailed " + keys);
  }

  @Override
  public void lost(long id, Set<String> keys, LockLostException.Reason reason) {
    add(id, "lost " + keys + " " + reason);
  }

  @Override
  public void released(long id, Set<String> keys, Duration held, boolean wasOurs) {
    durations.add(held);
    add(id, "released " + keys + " wasOurs=" + wasOurs);
  }

  @Override
  public void abandoned(long id, Set<String> keys) {
    add(id, "abandoned " + keys);
  }
}
