// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The servers of one topology, started one by one and closed together. */
final class NodeGroup implements AutoCloseable {

  private final boolean behindProxies;
  private final List<ServerNode> nodes = new ArrayList<>();

  private NodeGroup(boolean behindProxies) {
    this.behindProxies = behindProxies;
  }

  /** Creates a group and fills it; closes it if that fails. */
  static NodeGroup started(boolean behindProxies, Consumer<NodeGroup> filling) {
    NodeGroup group = new NodeGroup(behindProxies);
    try {
      filling.accept(group);
      return group;
    } catch (RuntimeException e) {
      group.close();
      throw e;
    }
  }

  ServerNode start(RedisServer.Builder kind, ServerNode.Announcement announcement) {
    ServerNode node = ServerNode.start(kind, behindProxies, announcement);
    nodes.add(node);
    return node;
  }

  List<ServerNode> nodes() {
    return List.copyOf(nodes);
  }

  /** The nodes that run and are not paused. */
  List<ServerNode> awake() {
    return nodes.stream().filter(node -> node.server().isAwake()).toList();
  }

  List<RedisServer> servers() {
    return nodes.stream().map(ServerNode::server).toList();
  }

  List<String> uris() {
    return nodes.stream().map(ServerNode::uri).toList();
  }

  Optional<ServerNode> at(String host, int port) {
    return nodes.stream()
        .filter(node -> node.host().equals(host) && node.port() == port)
        .findFirst();
  }

  /** Ends all faults and lets all servers run, with their first settings. */
  void wake() {
    nodes.forEach(ServerNode::wake);
    nodes.forEach(node -> node.server().restoreSettings());
  }

  /** Resumes paused servers, and starts servers that do not run. */
  void recover() {
    for (RedisServer server : servers()) {
      server.resume();
      if (!server.isRunning()) {
        server.restart();
      }
    }
  }

  @Override
  public void close() {
    nodes.forEach(ServerNode::close);
  }
}
