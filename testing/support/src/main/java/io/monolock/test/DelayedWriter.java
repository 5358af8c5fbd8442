// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes one direction of a connection to a socket: bytes, and at last its end, each after its
 * delay.
 *
 * <p>The order is kept however the delay changes in between. Until a socket is attached, everything
 * waits.
 */
final class DelayedWriter {

  private record Chunk(ByteBuf bytes, boolean last, long due) {}

  private final EventLoop loop;
  private final Deque<Chunk> chunks = new ArrayDeque<>();
  private @Nullable Channel target;
  private boolean isTimerSet;
  private boolean isClosed;

  DelayedWriter(EventLoop loop) {
    this.loop = loop;
  }

  void attach(Channel socket) {
    target = socket;
    drain();
  }

  void send(ByteBuf bytes, Duration delay) {
    add(bytes, false, delay);
  }

  void end(Duration delay) {
    add(Unpooled.EMPTY_BUFFER, true, delay);
  }

  /** Sends at once what still waits for the end of its delay. */
  void sendAllNow() {
    long now = System.nanoTime();
    int count = chunks.size();
    for (int i = 0; i < count; i++) {
      Chunk chunk = chunks.remove();
      chunks.add(new Chunk(chunk.bytes(), chunk.last(), now));
    }
    drain();
  }

  void close() {
    isClosed = true;
    chunks.forEach(chunk -> chunk.bytes().release());
    chunks.clear();
  }

  private void add(ByteBuf bytes, boolean last, Duration delay) {
    if (isClosed) {
      bytes.release();
      return;
    }
    long due = System.nanoTime() + delay.toNanos();
    Chunk before = chunks.peekLast();
    if (before != null && before.due() - due > 0) {
      due = before.due();
    }
    chunks.add(new Chunk(bytes, last, due));
    drain();
  }

  private void drain() {
    Channel socket = target;
    if (socket == null) {
      return;
    }
    Chunk next = chunks.peek();
    while (next != null) {
      long wait = next.due() - System.nanoTime();
      if (wait > 0) {
        setTimer(wait);
        return;
      }
      chunks.remove();
      var written = socket.writeAndFlush(next.bytes());
      if (next.last()) {
        var unused = written.addListener(ChannelFutureListener.CLOSE);
      }
      next = chunks.peek();
    }
  }

  private void setTimer(long nanos) {
    if (!isTimerSet) {
      isTimerSet = true;
      var unused = loop.schedule(this::timerFired, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void timerFired() {
    isTimerSet = false;
    drain();
  }
}
