// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value made at its first use; a failure to make it is not remembered. */
final class Lazy<T> {

  private final Supplier<T> maker;
  private @Nullable T value;

  Lazy(Supplier<T> maker) {
    this.maker = maker;
  }

  synchronized T get() {
    T made = value;
    if (made == null) {
      made = maker.get();
      value = made;
    }
    return made;
  }
}
