// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Any reply of Redis as plain Java: a String, a Long, a List of replies, or null for nil. */
final class Reply extends CommandOutput<String, String, @Nullable Object> {

  private record Open(List<@Nullable Object> elements, int size) {}

  private final Deque<Open> open = new ArrayDeque<>();

  Reply() {
    super(StringCodec.UTF8, null);
  }

  @Override
  public void set(@Nullable ByteBuffer bytes) {
    add(bytes == null ? null : decodeString(bytes));
  }

  @Override
  public void set(long integer) {
    add(integer);
  }

  @Override
  public void multi(int count) {
    if (count < 0) {
      add(null);
      return;
    }
    open.push(new Open(new ArrayList<>(), count));
    closeFull();
  }

  private void add(@Nullable Object value) {
    Open inner = open.peek();
    if (inner == null) {
      output = value;
    } else {
      inner.elements().add(value);
      closeFull();
    }
  }

  private void closeFull() {
    Open inner = open.peek();
    if (inner != null && inner.elements().size() == inner.size()) {
      open.pop();
      add(inner.elements());
    }
  }
}
