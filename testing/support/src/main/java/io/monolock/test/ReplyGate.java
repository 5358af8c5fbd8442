// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/** Lets the replies of one connection into their lane, but for those that are held. */
final class ReplyGate {

  private final Faults faults;
  private final Lane lane;
  private final ReplyFrames frames = new ReplyFrames();
  private final Deque<ByteBuf> waiting = new ArrayDeque<>();
  private final Set<ReplyHold> closedBy = new HashSet<>();
  private boolean isFirstCounted;
  private boolean isEnded;

  ReplyGate(Faults faults, Lane lane) {
    this.faults = faults;
    this.lane = lane;
  }

  void send(ByteBuf bytes) {
    waiting.add(bytes);
    drain();
  }

  void end() {
    isEnded = true;
    drain();
  }

  void open(ReplyHold released) {
    if (closedBy.remove(released)) {
      drain();
    }
  }

  void close() {
    waiting.forEach(ByteBuf::release);
    waiting.clear();
  }

  private void drain() {
    while (closedBy.isEmpty() && !waiting.isEmpty()) {
      passUntilHeld(waiting.remove());
    }
    if (isEnded && waiting.isEmpty()) {
      isEnded = false;
      lane.end(faults.replyDelay);
    }
  }

  private void passUntilHeld(ByteBuf bytes) {
    for (int i = bytes.readerIndex(); i < bytes.writerIndex(); i++) {
      byte next = bytes.getByte(i);
      if (frames.beginsReply(next) && isHeld()) {
        pass(bytes.readRetainedSlice(i - bytes.readerIndex()));
        waiting.addFirst(bytes);
        return;
      }
      isFirstCounted = false;
      frames.accept(next);
    }
    pass(bytes);
  }

  /** Asks each hold once for each reply, also if the reply waits at the gate in between. */
  private boolean isHeld() {
    if (!isFirstCounted) {
      isFirstCounted = true;
      for (ReplyHold hold : faults.holds) {
        if (hold.catches()) {
          closedBy.add(hold);
        }
      }
    }
    return !closedBy.isEmpty();
  }

  private void pass(ByteBuf bytes) {
    if (bytes.isReadable()) {
      lane.send(bytes, faults.replyDelay);
    } else {
      bytes.release();
    }
  }
}
