// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

/** A server did not start because another process listens on one of its ports. */
final class PortTakenException extends IllegalStateException {

  PortTakenException(String message) {
    super(message);
  }
}
