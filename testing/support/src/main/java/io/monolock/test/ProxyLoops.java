// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of all proxies of this JVM: few, and daemons that end with it.
 *
 * <p>They are plain threads, so that BlockHound does not take them for event loops of clients.
 */
final class ProxyLoops {

  private static final int THREADS = 2;

  private static final Lazy<EventLoopGroup> GROUP =
      new Lazy<>(
          () ->
              new MultiThreadIoEventLoopGroup(
                  THREADS, new NamedDaemons(), NioIoHandler.newFactory()));

  private ProxyLoops() {}

  static EventLoop next() {
    return GROUP.get().next();
  }

  private static final class NamedDaemons implements ThreadFactory {

    private final AtomicInteger count = new AtomicInteger();

    @Override
    public Thread newThread(Runnable task) {
      Thread thread = new Thread(task, "monolock-fault-proxy-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    }
  }
}
