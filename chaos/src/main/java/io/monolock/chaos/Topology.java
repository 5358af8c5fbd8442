// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

/** What kind of Redis the clients use. */
enum Topology {
  /** One server. */
  STANDALONE
}
