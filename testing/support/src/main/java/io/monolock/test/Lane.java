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
 * One direction of a connection: bytes, and at last its end, that reach a socket after their delay.
 *
 * <p>Nothing overtakes, however the delay changes in between. Until the socket is there, all waits.
 */
final class Lane {

  private record Parcel(ByteBuf bytes, boolean last, long due) {}

  private final EventLoop loop;
  private final Deque<Parcel> parcels = new ArrayDeque<>();
  private @Nullable Channel target;
  private boolean isTimerSet;
  private boolean isClosed;

  Lane(EventLoop loop) {
    this.loop = loop;
  }

  void leadTo(Channel socket) {
    target = socket;
    drain();
  }

  void send(ByteBuf bytes, Duration delay) {
    add(bytes, false, delay);
  }

  void end(Duration delay) {
    add(Unpooled.EMPTY_BUFFER, true, delay);
  }

  /** Sends at once what still waits for its time. */
  void hurry() {
    long now = System.nanoTime();
    int count = parcels.size();
    for (int i = 0; i < count; i++) {
      Parcel parcel = parcels.remove();
      parcels.add(new Parcel(parcel.bytes(), parcel.last(), now));
    }
    drain();
  }

  void close() {
    isClosed = true;
    parcels.forEach(parcel -> parcel.bytes().release());
    parcels.clear();
  }

  private void add(ByteBuf bytes, boolean last, Duration delay) {
    if (isClosed) {
      bytes.release();
      return;
    }
    long due = System.nanoTime() + delay.toNanos();
    Parcel before = parcels.peekLast();
    if (before != null && before.due() - due > 0) {
      due = before.due();
    }
    parcels.add(new Parcel(bytes, last, due));
    drain();
  }

  private void drain() {
    Channel socket = target;
    if (socket == null) {
      return;
    }
    Parcel next = parcels.peek();
    while (next != null) {
      long wait = next.due() - System.nanoTime();
      if (wait > 0) {
        setTimer(wait);
        return;
      }
      parcels.remove();
      var written = socket.writeAndFlush(next.bytes());
      if (next.last()) {
        var unused = written.addListener(ChannelFutureListener.CLOSE);
      }
      next = parcels.peek();
    }
  }

  private void setTimer(long nanos) {
    if (!isTimerSet) {
      isTimerSet = true;
      var unused = loop.schedule(this::ring, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void ring() {
    isTimerSet = false;
    drain();
  }
}
