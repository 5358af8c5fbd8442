// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.Consumer;

/** Passes on what a socket receives, and that it was closed, by either side or an error. */
final class SocketEvents extends ChannelInboundHandlerAdapter {

  private final Consumer<ByteBuf> onBytes;
  private final Runnable onClose;

  SocketEvents(Consumer<ByteBuf> onBytes, Runnable onClose) {
    this.onBytes = onBytes;
    this.onClose = onClose;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    onBytes.accept((ByteBuf) message);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    onClose.run();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    var unused = context.close();
  }
}
