// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client's connection to a proxy and the proxy's own to the server; one thread uses it. */
final class Link {

  private final Channel client;
  private final Faults faults;
  private final Consumer<Link> onClose;
  private final Lane requests;
  private final Lane replies;
  private final ReplyGate gate;
  private @Nullable Channel server;
  private boolean hasLost;
  private boolean isClosed;

  Link(Channel client, Faults faults, Consumer<Link> onClose) {
    this.client = client;
    this.faults = faults;
    this.onClose = onClose;
    this.requests = new Lane(client.eventLoop());
    this.replies = new Lane(client.eventLoop());
    this.gate = new ReplyGate(faults, replies);
    replies.leadTo(client);
  }

  boolean isClientThere() {
    return client.isActive();
  }

  /** The connection to the server is there. */
  void reach(Channel reached) {
    if (isClosed) {
      close(reached);
      return;
    }
    server = reached;
    requests.leadTo(reached);
  }

  /** There will be no server: the client was swallowed before there could be one. */
  void reachNothing() {
    hasLost = true;
  }

  void request(ByteBuf bytes) {
    if (faults.loseRequests()) {
      lose(bytes);
    } else {
      requests.send(bytes, faults.requestDelay);
    }
  }

  void reply(ByteBuf bytes) {
    if (faults.loseReplies()) {
      lose(bytes);
    } else {
      gate.send(bytes);
    }
  }

  /** The client has hung up: what it sent before still reaches the server. */
  void clientClosed() {
    if (faults.blackHole) {
      hasLost = true;
    } else if (server != null && !server.isActive()) {
      close();
    } else {
      requests.end(faults.requestDelay);
      gate.close();
      replies.close();
    }
  }

  /** The server has hung up: what it sent before still reaches the client. */
  void serverClosed() {
    if (faults.blackHole) {
      hasLost = true;
    } else if (client.isActive()) {
      gate.end();
    } else {
      close();
    }
  }

  void open(ReplyHold released) {
    gate.open(released);
  }

  void hurry() {
    requests.hurry();
    replies.hurry();
  }

  /** A stream with a gap is of no use to anybody once bytes flow again. */
  void closeIfLossy() {
    if (hasLost) {
      close();
    }
  }

  void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    requests.close();
    gate.close();
    replies.close();
    close(client);
    if (server != null) {
      close(server);
    }
    onClose.accept(this);
  }

  private static void close(Channel socket) {
    var unused = socket.close();
  }

  private void lose(ByteBuf bytes) {
    hasLost = true;
    bytes.release();
  }
}
