// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import java.io.IOException;

/** Throws checked exceptions where none are declared, as code in Kotlin does. */
final class Sneaky {

  private Sneaky() {}

  /** Throws. */
  @SuppressWarnings("TypeParameterUnusedInFormals") // stands where any value is expected
  static <R> R rethrow() {
    return Sneaky.<RuntimeException, R>rethrow(new IOException("a checked exception"));
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // that is the trick
  private static <E extends Exception, R> R rethrow(Exception e) throws E {
    throw (E) e;
  }
}
