// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The servers of one topology, started one by one and closed together. */
final class NodeGroup implements AutoCloseable {

  private final boolean behindProxies;
  private final List<RedisNode> nodes = new ArrayList<>();

  private NodeGroup(boolean behindProxies) {
    this.behindProxies = behindProxies;
  }

  /** A group that is filled; closed again if that fails. */
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

  RedisNode start(RedisServer.Builder kind, RedisNode.Announcement announcement) {
    RedisNode node = RedisNode.start(kind, behindProxies, announcement);
    nodes.add(node);
    return node;
  }

  List<RedisNode> nodes() {
    return List.copyOf(nodes);
  }

  /** Those that can be asked: they run and are not paused. */
  List<RedisNode> awake() {
    return nodes.stream().filter(node -> node.server().isAwake()).toList();
  }

  List<RedisServer> servers() {
    return nodes.stream().map(RedisNode::server).toList();
  }

  List<String> uris() {
    return nodes.stream().map(RedisNode::uri).toList();
  }

  Optional<RedisNode> at(String host, int port) {
    return nodes.stream()
        .filter(node -> node.host().equals(host) && node.port() == port)
        .findFirst();
  }

  /** Ends all faults and lets all servers run, with the settings that they were started with. */
  void wake() {
    nodes.forEach(RedisNode::wake);
    nodes.forEach(node -> node.server().restoreSettings());
  }

  @Override
  public void close() {
    nodes.forEach(RedisNode::close);
  }
}
