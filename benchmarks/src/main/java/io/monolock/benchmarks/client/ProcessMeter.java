// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** The resources that this process has used so far. */
record ProcessMeter(long nanos, long cpuNanos, long allocatedBytes) {

  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  static ProcessMeter read() {
    return new ProcessMeter(System.nanoTime(), SYSTEM.getProcessCpuTime(), allocated());
  }

  ProcessMeter since(ProcessMeter before) {
    return new ProcessMeter(
        nanos - before.nanos, cpuNanos - before.cpuNanos, allocatedBytes - before.allocatedBytes);
  }

  /** Counts live threads only: the threads that allocate here live as long as the process. */
  private static long allocated() {
    long[] bytes = THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds());
    return Arrays.stream(bytes).filter(count -> count > 0).sum();
  }

  /** The bytes in use after garbage collections. */
  static long heapInUse() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
