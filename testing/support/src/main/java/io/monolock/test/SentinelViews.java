// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What sentinels say of the servers that they watch, and the servers of themselves. */
final class SentinelViews {

  private final NodeGroup servers;
  private final List<RedisNode> sentinels;
  private final String masterName;

  SentinelViews(NodeGroup servers, List<RedisNode> sentinels, String masterName) {
    this.servers = servers;
    this.sentinels = sentinels;
    this.masterName = masterName;
  }

  /** The master, once for each sentinel that knows one. */
  List<RedisNode> masters() {
    return sentinels.stream().map(this::master).flatMap(Optional::stream).toList();
  }

  /** The master of as many sentinels at least. */
  Optional<RedisNode> elected(int votes) {
    List<RedisNode> masters = masters();
    return masters.stream()
        .filter(node -> Collections.frequency(masters, node) >= votes)
        .findFirst();
  }

  /** What keeps somebody else than the former master from being the one that works. */
  List<String> troublesOfElected(int votes, RedisNode former) {
    Optional<RedisNode> elected = elected(votes).filter(node -> node != former);
    if (elected.isEmpty()) {
      return List.of("the sentinels call these the master: " + masters());
    }
    List<String> missing = new ArrayList<>();
    addTroublesOfMaster(missing, elected.get());
    return missing;
  }

  /** What keeps a master, its replicas and the sentinels from agreeing. */
  List<String> troubles() {
    List<RedisNode> masters = masters();
    if (masters.size() < sentinels.size() || masters.stream().distinct().count() != 1) {
      return List.of("the sentinels call these the master: " + masters);
    }
    RedisNode master = masters.get(0);
    List<String> missing = new ArrayList<>();
    addTroublesOfMaster(missing, master);
    missing.addAll(badFollowers(master));
    sentinels.forEach(sentinel -> addTroubles(missing, sentinel, master));
    return missing;
  }

  /** Which servers do not follow the master, or do not hear of it. */
  List<String> badFollowers(RedisNode master) {
    List<String> missing = new ArrayList<>();
    for (RedisNode node : servers.awake()) {
      if (node != master) {
        String followed = replication(node, "master_host") + ":" + replication(node, "master_port");
        if (!followed.equals(master.host() + ":" + master.port())) {
          missing.add("%s follows '%s'".formatted(node, followed));
        } else if (!replication(node, "master_link_status").equals("up")) {
          missing.add("%s hears nothing of %s".formatted(node, master));
        }
      }
    }
    return missing;
  }

  private static void addTroublesOfMaster(List<String> missing, RedisNode master) {
    if (!master.server().isAwake()) {
      missing.add("the master " + master + " does not run");
    } else if (!replication(master, "role").equals("master")) {
      missing.add("the role of %s is %s".formatted(master, replication(master, "role")));
    }
  }

  private void addTroubles(List<String> missing, RedisNode sentinel, RedisNode master) {
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
    for (RedisNode node : servers.nodes()) {
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
      RedisNode sentinel,
      String subject,
      String field,
      String expected,
      Map<String, String> seen) {
    String value = seen.getOrDefault(field, "");
    if (!value.equals(expected)) {
      missing.add("%s says the %s of %s are '%s'".formatted(sentinel, field, subject, value));
    }
  }

  private Optional<RedisNode> master(RedisNode sentinel) {
    Object reply = sentinel.server().command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName);
    return reply instanceof List<?> address && address.size() == 2
        ? servers.at("" + address.get(0), Integer.parseInt("" + address.get(1)))
        : Optional.empty();
  }

  private static String replication(RedisNode node, String field) {
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
