// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.engine.TimerWheel.Task;
import org.jspecify.annotations.Nullable;

/** Tasks of a {@link TimerWheel} that are due at about the same time, linked to each other. */
final class TimerBucket {

  private volatile @Nullable Task first; // written under the monitor

  boolean isEmpty() {
    return first == null;
  }

  /** Called under the monitor. */
  void add(Task task) {
    Task second = first;
    task.bucket = this;
    task.next = second;
    if (second != null) {
      second.previous = task;
    }
    first = task;
  }

  synchronized void remove(Task task) {
    if (!this.equals(task.bucket)) {
      return;
    }
    Task previous = task.previous;
    Task next = task.next;
    if (previous == null) {
      first = next;
    } else {
      previous.next = next;
    }
    if (next != null) {
      next.previous = previous;
    }
    task.bucket = null;
    task.previous = null;
    task.next = null;
  }

  /** All tasks, still linked by {@link Task#next} but no longer in this bucket. */
  synchronized @Nullable Task empty() {
    Task all = first;
    first = null;
    for (Task task = all; task != null; task = task.next) {
      task.bucket = null;
      task.previous = null;
    }
    return all;
  }

  synchronized int size() {
    int size = 0;
    for (Task task = first; task != null; task = task.next) {
      size++;
    }
    return size;
  }
}
