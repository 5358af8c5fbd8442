// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to a proxy, and the proxy's own to the server; confined to the event loop
 * of the proxy.
 */
final class ProxyConnection {

  private final Channel client;
  private final Faults faults;
  private final Consumer<ProxyConnection> onClose;
  private final DelayedWriter requests;
  private final DelayedWriter replies;
  private final ReplyGate gate;
  private @Nullable Channel server;
  private boolean isLossy;
  private boolean isClosed;

  ProxyConnection(Channel client, Faults faults, Consumer<ProxyConnection> onClose) {
    this.client = client;
    this.faults = faults;
    this.onClose = onClose;
    this.requests = new DelayedWriter(client.eventLoop());
    this.replies = new DelayedWriter(client.eventLoop());
    this.gate = new ReplyGate(faults, replies);
    replies.attach(client);
  }

  boolean isClientConnected() {
    return client.isActive();
  }

  void serverConnected(Channel channel) {
    if (isClosed) {
      close(channel);
      return;
    }
    server = channel;
    requests.attach(channel);
  }

  /** The client connected to a black hole: there will be no connection to the server. */
  void swallowed() {
    isLossy = true;
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

  /** The client has closed: what it sent before still reaches the server. */
  void clientClosed() {
    if (faults.blackHole) {
      isLossy = true;
    } else if (server != null && !server.isActive()) {
      close();
    } else {
      requests.end(faults.requestDelay);
      gate.close();
      replies.close();
    }
  }

  /** The server has closed: what it sent before still reaches the client. */
  void serverClosed() {
    if (faults.blackHole) {
      isLossy = true;
    } else if (client.isActive()) {
      gate.end();
    } else {
      close();
    }
  }

  void open(ReplyHold released) {
    gate.open(released);
  }

  void sendAllNow() {
    requests.sendAllNow();
    replies.sendAllNow();
  }

  /** Closes a stream with a gap: its replies no longer match its commands. */
  void closeIfLossy() {
    if (isLossy) {
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
    isLossy = true;
    bytes.release();
  }
}
