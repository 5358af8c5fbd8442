// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Numbers in a mapped file, shared by the processes that map it; all zero at first. */
final class SharedLongs {

  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final int SIZE = 4_096;

  private final MappedByteBuffer memory;

  SharedLongs(Path file) {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
      memory = channel.map(MapMode.READ_WRITE, 0, SIZE);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be mapped", e);
    }
  }

  long get(int index) {
    return (long) LONGS.getVolatile(memory, index * Long.BYTES);
  }

  void set(int index, long value) {
    LONGS.setVolatile(memory, index * Long.BYTES, value);
  }

  boolean compareAndSet(int index, long expected, long value) {
    return LONGS.compareAndSet(memory, index * Long.BYTES, expected, value);
  }

  long addAndGet(int index, long delta) {
    return (long) LONGS.getAndAdd(memory, index * Long.BYTES, delta) + delta;
  }
}
