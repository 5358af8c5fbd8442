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
 * <p>They lie below those that operating systems give to clients. A client's own port could
 * otherwise take that of a server that is down for a moment, or a client that connects again and
 * again could even reach itself there. The port that a cluster's bus adds, 10000 higher, is below
 * them too.
 */
final class Ports {

  private static final int FIRST = 10_000;
  private static final int LAST = 22_000;
  private static final int ATTEMPTS = 1_000;
  private static final int BUS = 10_000;

  private Ports() {}

  /** A port that nobody listened on a moment ago. */
  static int free() {
    return find(Ports::isFree);
  }

  /** The same for a node of a cluster, which takes the {@linkplain #ofBus port of its bus} too. */
  static int freeWithBus() {
    return find(Ports::isFreeWithBus);
  }

  static boolean isFreeWithBus(int port) {
    return isFree(port) && isFree(ofBus(port));
  }

  /** Where a node of a cluster that listens on this port listens to the other nodes. */
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

  /** Whether nobody listens there; finds out without listening. */
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
