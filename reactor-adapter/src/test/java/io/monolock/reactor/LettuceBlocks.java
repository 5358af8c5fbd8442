// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.blockhound.integration.BlockHoundIntegration;

/** Where Lettuce and Netty take a lock for a moment, and how all other blocking is shown. */
public final class LettuceBlocks implements BlockHoundIntegration {

  /** Created by BlockHound. */
  public LettuceBlocks() {}

  @Override
  public void applyTo(BlockHound.Builder builder) {
    builder.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "incrementWriters");
    builder.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "doExclusive");
    String allocator = "io.netty.buffer.AdaptiveByteBufAllocator";
    builder.allowBlockingCallsInside(allocator, "newDirectBuffer");
    builder.allowBlockingCallsInside(allocator, "newHeapBuffer");
    builder.allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator", "allocate");
    builder.allowBlockingCallsInside("io.netty.buffer.AbstractReferenceCountedByteBuf", "release");
    // those who drive a connection swallow what is thrown, so it is printed, too
    builder.blockingMethodCallback(
        method -> {
          Error blocking = new BlockingOperationError(method);
          blocking.printStackTrace();
          throw blocking;
        });
  }
}
