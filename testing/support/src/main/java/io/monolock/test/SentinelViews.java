// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The state of servers, as the sentinels report it and as the servers do themselves. */
final class SentinelViews {

  private final NodeGroup servers;
  private final List<ServerNode> sentinels;
  private final String masterName;

  SentinelViews(NodeGroup servers, List<ServerNode> sentinels, String masterName) {
    this.servers = servers;
    this.sentinels = sentinels;
    this.masterName = masterName;
  }

  /** The master that each sentinel reports; none for a sentinel without one. */
  List<ServerNode> masters() {
    return sentinels.stream().map(this::master).flatMap(Optional::stream).toList();
  }

  /** The master that at least so many sentinels report. */
  Optional<ServerNode> elected(int votes) {
    List<ServerNode> masters = masters();
    return masters.stream()
        .filter(node -> Collections.frequency(masters, node) >= votes)
        .findFirst();
  }

  /** Why no other node than the former master is the master and works; nothing once one does. */
  List<String> problemsOfElected(int votes, ServerNode former) {
    Optional<ServerNode> elected = elected(votes).filter(node -> node != former);
    if (elected.isEmpty()) {
      return List.of("the sentinels call these the master: " + masters());
    }
    List<String> missing = new ArrayList<>();
    addProblemsOfMaster(missing, elected.get());
    return missing;
  }

  /** In what a master, its replicas and the sentinels do not agree; nothing once they do. */
  List<String> problems() {
    List<ServerNode> masters = masters();
    if (masters.size() < sentinels.size() || masters.stream().distinct().count() != 1) {
      return List.of("the sentinels call these the master: " + masters);
    }
    ServerNode master = masters.get(0);
    List<String> missing = new ArrayList<>();
    addProblemsOfMaster(missing, master);
    missing.addAll(replicasOutOfSync(master));
    sentinels.forEach(sentinel -> addProblems(missing, sentinel, master));
    return missing;
  }

  /** Which servers do not replicate from the master. */
  List<String> replicasOutOfSync(ServerNode master) {
    List<String> missing = new ArrayList<>();
    for (ServerNode node : servers.awake()) {
      if (node != master) {
        String followed = replication(node, "master_host") + ":" + replication(node, "master_port");
        if (!followed.equals(master.host() + ":" + master.port())) {
          missing.add("%s follows '%s'".formatted(node, followed));
        } else if (!replication(node, "master_link_status").equals("up")) {
          missing.add("%s is not connected to %s".formatted(node, master));
        }
      }
    }
    return missing;
  }

  private static void addProblemsOfMaster(List<String> missing, ServerNode master) {
    if (!master.server().isAwake()) {
      missing.add("the master " + master + " does not run");
    } else if (!replication(master, "role").equals("master")) {
      missing.add("the role of %s is %s".formatted(master, replication(master, "role")));
    }
  }

  private void addProblems(List<String> missing, ServerNode sentinel, ServerNode master) {
    Map<String, String> known = fields(sentinel.server().command("SENTINEL", "MASTER", masterName));
    expect(missing, sentinel, "the master", "flags", "master", known);
    expect(missing, sentinel, "the master", "num-other-sentinels", "2", known);
    Map<String, Map<String, String>> replicas = new HashMap<>();
    if (sentinel.server().command("SENTINEL", "REPLICAS", masterName) instanceof List<?> replies) {
      for (Object reply : replies) {
        Map<String, String> replica = fields(reply);
        replicas.put(replica.get("ip") + ":" + replica.get("port"), replica);
      }
    }
    for (ServerNode node : servers.nodes()) {
      if (node != master) {
        Map<String, String> replica =
            replicas.getOrDefault(node.host() + ":" + node.port(), Map.of());
        if (node.server().isAwake()) {
          expect(missing, sentinel, node.toString(), "flags", "slave", replica);
        } else if (!replica.getOrDefault("flags", "").contains("s_down")) {
          missing.add("%s does not take %s for down".formatted(sentinel, node));
        }
      }
    }
  }

  private static void expect(
      List<String> missing,
      ServerNode sentinel,
      String subject,
      String field,
      String expected,
      Map<String, String> seen) {
    String value = seen.getOrDefault(field, "");
    if (!value.equals(expected)) {
      missing.add("%s says the %s of %s are '%s'".formatted(sentinel, field, subject, value));
    }
  }

  private Optional<ServerNode> master(ServerNode sentinel) {
    Object reply = sentinel.server().command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName);
    return reply instanceof List<?> address && address.size() == 2
        ? servers.at("" + address.get(0), Integer.parseInt("" + address.get(1)))
        : Optional.empty();
  }

  private static String replication(ServerNode node, String field) {
    return Info.field(node.server(), "INFO replication", field);
  }

  /** Names and values that follow each other in a list. */
  private static Map<String, String> fields(@Nullable Object reply) {
    Map<String, String> fields = new HashMap<>();
    if (reply instanceof List<?> words) {
      for (int i = 0; i + 1 < words.size(); i += 2) {
        fields.put("" + words.get(i), "" + words.get(i + 1));
      }
    }
    return fields;
  }
}
