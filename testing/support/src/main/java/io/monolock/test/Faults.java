// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/** The present faults of a proxy; confined to its event loop. */
final class Faults {

  final Set<ReplyHold> holds = new LinkedHashSet<>();
  boolean blackHole;
  boolean dropRequests;
  boolean dropReplies;
  Duration requestDelay = Duration.ZERO;
  Duration replyDelay = Duration.ZERO;

  boolean loseRequests() {
    return blackHole || dropRequests;
  }

  boolean loseReplies() {
    return blackHole || dropReplies;
  }

  void clear() {
    blackHole = false;
    dropRequests = false;
    dropReplies = false;
    requestDelay = Duration.ZERO;
    replyDelay = Duration.ZERO;
  }
}
