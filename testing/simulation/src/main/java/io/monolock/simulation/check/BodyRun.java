// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run of a body under a lock: what it said, and whether it was stopped. */
public final class BodyRun {

  final Handle handle;
  final List<Object> values = new ArrayList<>();
  boolean completed;
  boolean cancelled;
  boolean wasValidAtEnd;
  long endedAt;
  @Nullable Throwable error;

  /** One that begins. */
  public BodyRun(Handle handle) {
    this.handle = handle;
  }

  /** It emits something. */
  public void emitted(Object value) {
    if (!isOver()) {
      values.add(value);
    }
  }

  /** It ends, with an error or null. */
  public void ended(@Nullable Throwable problem, long now) {
    if (!isOver()) {
      error = problem;
      completed = problem == null;
      wasValidAtEnd = handle.lock.isValid();
      endedAt = now;
    }
  }

  /** It is told to stop. */
  public void cancelled() {
    if (!isOver()) {
      cancelled = true;
    }
  }

  boolean isOver() {
    return completed || cancelled || error != null;
  }
}
