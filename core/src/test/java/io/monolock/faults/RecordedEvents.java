// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import io.monolock.LockLostException;
import io.monolock.LockObserver;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what lockers report of their locks. */
final class RecordedEvents implements LockObserver {

  private final List<String> events = new CopyOnWriteArrayList<>();
  private final List<String> lostKeys = new CopyOnWriteArrayList<>();
  private final List<Acquired> acquired = new CopyOnWriteArrayList<>();

  private record Acquired(Set<String> keys, int attempts) {}

  long count(String event) {
    return events.stream().filter(event::equals).count();
  }

  /** The keys of all locks that were lost, in the order of their losses. */
  List<String> lostKeys() {
    return List.copyOf(lostKeys);
  }

  /** How many commands each lock took that was acquired. */
  List<Integer> attempts() {
    return acquired.stream().map(Acquired::attempts).toList();
  }

  /** How many commands each lock on this key took that was acquired. */
  List<Integer> attempts(String key) {
    return acquired.stream()
        .filter(lock -> lock.keys().contains(key))
        .map(Acquired::attempts)
        .toList();
  }

  void clear() {
    events.clear();
    lostKeys.clear();
    acquired.clear();
  }

  @Override
  public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
    acquired.add(new Acquired(keys, attempts));
  }

  @Override
  public void refreshed(long id, Set<String> keys) {
    events.add("refreshed");
  }

  @Override
  public void refreshFailed(long id, Set<String> keys, Throwable reason) {
    events.add("refreshFailed");
  }

  @Override
  public void lost(long id, Set<String> keys, LockLostException.Reason reason) {
    lostKeys.addAll(keys);
    events.add("lost " + reason);
    events.add("lost");
  }

  @Override
  public void released(long id, Set<String> keys, Duration held, boolean wasOurs) {
    events.add("released");
  }

  @Override
  public void abandoned(long id, Set<String> keys) {
    events.add("abandoned");
  }
}
