// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntPredicate;

/**
 * Finds free ports for servers.
 *
 * <p>They lie below the ephemeral ports of operating systems. A client could otherwise get the port
 * of a server that is down for a moment, or a client that keeps reconnecting could even connect to
 * itself. The port of a cluster's bus, 10000 higher, is below them too.
 */
final class Ports {

  private static final int FIRST = 10_000;
  private static final int LAST = 22_000;
  private static final int ATTEMPTS = 1_000;
  private static final int BUS = 10_000;

  private Ports() {}

  /** A port that was free a moment ago. */
  static int free() {
    return find(Ports::isFree);
  }

  /**
   * A port whose {@linkplain #ofBus port of the bus} was free, too, as a node of a cluster needs
   * it.
   */
  static int freeWithBus() {
    return find(Ports::isFreeWithBus);
  }

  static boolean isFreeWithBus(int port) {
    return isFree(port) && isFree(ofBus(port));
  }

  /** The port on which a node of a cluster that has this port listens to other nodes. */
  static int ofBus(int port) {
    return port + BUS;
  }

  private static int find(IntPredicate isWanted) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      if (isWanted.test(port)) {
        return port;
      }
    }
    throw new IllegalStateException("No port between " + FIRST + " and " + LAST + " is free");
  }

  /** Whether no process listens there; checked without listening. */
  static boolean refuses(int port) {
    try (SocketChannel socket = SocketChannel.open()) {
      socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
