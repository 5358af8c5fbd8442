// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import reactor.blockhound.BlockHound
import reactor.blockhound.BlockingOperationError
import reactor.blockhound.integration.BlockHoundIntegration

/**
 * Where Lettuce and Netty take locks that are held for a moment only, in threads that must not
 * block. All other blocking is printed, as they swallow what BlockHound throws.
 */
class LettuceBlocks : BlockHoundIntegration {
  override fun applyTo(builder: BlockHound.Builder) {
    MOMENTS.forEach { (type, methods) ->
      methods.forEach { builder.allowBlockingCallsInside(type, it) }
    }
    builder.blockingMethodCallback {
      val blocking = BlockingOperationError(it)
      blocking.printStackTrace()
      throw blocking
    }
  }

  private companion object {
    private val MOMENTS =
      mapOf(
        "io.lettuce.core.protocol.SharedLock" to listOf("incrementWriters", "doExclusive"),
        "io.netty.buffer.AdaptiveByteBufAllocator" to listOf("newDirectBuffer", "newHeapBuffer"),
        "io.netty.buffer.AdaptivePoolingAllocator" to listOf("allocate"),
        "io.netty.buffer.AbstractReferenceCountedByteBuf" to listOf("release"),
      )
  }
}
