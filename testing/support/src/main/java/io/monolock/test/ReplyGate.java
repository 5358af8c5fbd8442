// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/** Passes the replies of one connection to their writer, except held ones. */
final class ReplyGate {

  private final Faults faults;
  private final DelayedWriter writer;
  private final ReplyFrames frames = new ReplyFrames();
  private final Deque<ByteBuf> waiting = new ArrayDeque<>();
  private final Set<ReplyHold> closedBy = new HashSet<>();
  private boolean isFirstCounted;
  private boolean isEnded;

  ReplyGate(Faults faults, DelayedWriter writer) {
    this.faults = faults;
    this.writer = writer;
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
      writer.end(faults.replyDelay);
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

  /** Checks each hold once for each reply, also if the reply is held in between. */
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
      writer.send(bytes, faults.replyDelay);
    } else {
      bytes.release();
    }
  }
}
