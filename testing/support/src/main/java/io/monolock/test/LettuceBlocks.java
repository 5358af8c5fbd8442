// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Allows the blocking calls of Lettuce and Netty that are harmless, and prints all others.
 *
 * <p>Netty and Lettuce swallow what BlockHound throws, so it is printed, too.
 */
public final class LettuceBlocks implements BlockHoundIntegration {

  /** Created by BlockHound. */
  public LettuceBlocks() {}

  @Override
  public void applyTo(BlockHound.Builder builder) {
    // reads certificates from files
    builder.allowBlockingCallsInside(
        "io.lettuce.core.SslConnectionBuilder$SslChannelInitializer", "initializeSSLEngine");
    // takes a lock that is held for a moment only; an error thrown there would leave its count of
    // writers wrong, and the next writer would wait for ever
    builder.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "incrementWriters");
    builder.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "doExclusive");
    // take locks that are held for a moment only
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
