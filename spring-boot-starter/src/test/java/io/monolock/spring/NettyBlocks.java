// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Where Netty, Lettuce and Spring may block in a thread that must not, and how all other blocking
 * is shown.
 */
public final class NettyBlocks implements BlockHoundIntegration {

  /** Created by BlockHound. */
  public NettyBlocks() {}

  @Override
  public void applyTo(BlockHound.Builder builder) {
    // reads certificates from files
    builder.allowBlockingCallsInside(
        "io.lettuce.core.SslConnectionBuilder$SslChannelInitializer", "initializeSSLEngine");
    // take locks that are held for a moment only
    builder.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "incrementWriters");
    builder.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "doExclusive");
    String allocator = "io.netty.buffer.AdaptiveByteBufAllocator";
    builder.allowBlockingCallsInside(allocator, "newDirectBuffer");
    builder.allowBlockingCallsInside(allocator, "newHeapBuffer");
    builder.allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator", "allocate");
    builder.allowBlockingCallsInside("io.netty.buffer.AbstractReferenceCountedByteBuf", "release");
    builder.blockingMethodCallback(
        method -> {
          Error blocking = new BlockingOperationError(method);
          blocking.printStackTrace();
          throw blocking;
        });
  }
}
