// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.models.role.RedisReplicaInstance;
import io.lettuce.core.models.role.RoleParser;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections to the primary among some servers, which it asks for their role.
 *
 * <p>A lone server is not asked until it has turned out to be a replica. From then on it is asked,
 * and its upstream is used instead; if that cannot be reached, the replica is used, so that its
 * answers say what is wrong. An upstream that the user has not named gets no password.
 *
 * <p>Several servers are all asked, each time; if none is the primary, their upstreams are asked. A
 * server that does not answer delays the others only a little. If two say that they are the
 * primary, one was promoted without demoting the other: with either of them a lock might be held
 * twice, so none is used until that is settled.
 */
final class PrimaryFinder implements ConnectionFactory {

  private static final Logger LOG = LoggerFactory.getLogger(PrimaryFinder.class);
  private static final Duration TIME_TO_ANSWER = Duration.ofMillis(500);
  private static final int MOST_ASKED = 32;

  private final RedisClient client;
  private final List<RedisURI> servers;
  private final boolean trustsReplicas;
  private final AtomicBoolean warned = new AtomicBoolean();
  private volatile boolean asksRoles;

  /**
   * @param servers one or more, checked
   * @param asksRoles whether they are asked from the beginning
   * @param trustsReplicas whether credentials are sent to an upstream that is none of the servers
   */
  PrimaryFinder(
      RedisClient client, List<RedisURI> servers, boolean asksRoles, boolean trustsReplicas) {
    this.client = client;
    this.servers = servers;
    this.asksRoles = asksRoles;
    this.trustsReplicas = trustsReplicas;
  }

  static void check(List<RedisURI> servers) {
    if (servers.isEmpty()) {
      throw new IllegalArgumentException("uris must name at least one server, there was none");
    }
    servers.stream()
        .filter(SentinelConnectionFactory::areIn)
        .findFirst()
        .ifPresent(
            uri -> {
              throw new IllegalArgumentException(
                  "uris must name servers, was one of Sentinels: "
                      + uri
                      + "; a single URI names all of them");
            });
  }

  @Override
  public CompletionStage<StatefulRedisConnection<String, String>> open() {
    if (!asksRoles) {
      return client.connectAsync(StringCodec.UTF8, servers.get(0));
    }
    Search search = new Search();
    search.begin();
    return search.found;
  }

  @Override
  public Duration timeout() {
    return servers.stream().map(ConnectionFactory::timeout).max(Duration::compareTo).orElseThrow();
  }

  @Override
  public void ledToReplica() {
    asksRoles = true;
  }

  @Override
  public String topology() {
    return asksRoles ? "primary and replicas" : "standalone";
  }

  /** An address that a server names may be that of a stranger, who gets no password. */
  private boolean mayFollow(RedisURI replica, HostAndPort upstream) {
    if (trustsReplicas || !Credentials.secretIsIn(replica)) {
      return true;
    }
    if (!warned.getAndSet(true)) {
      LOG.warn(
          "{} is a replica of {}, which was not named, so no password is sent there: name it with"
              + " RedisLockStore.create(client, uris), or allow it with followWithCredentials",
          name(replica),
          upstream);
    }
    return false;
  }

  private static String name(RedisURI uri) {
    return uri.getSocket() != null ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
  }

  private static RedisURI at(RedisURI like, HostAndPort address) {
    RedisURI uri =
        RedisURI.builder(like).withHost(address.getHostText()).withPort(address.getPort()).build();
    uri.setSocket(null);
    return uri;
  }

  /** A connection to a server. */
  private record Candidate(RedisURI uri, StatefulRedisConnection<String, String> connection) {}

  /** One search. It closes every connection that it opens, except the one found. */
  private final class Search {

    final CompletableFuture<StatefulRedisConnection<String, String>> found =
        new CompletableFuture<>();

    private final Set<String> asked = new HashSet<>(); // guarded by this, as is what follows
    private final List<RedisURI> toFollow = new ArrayList<>();
    private final List<String> replicas = new ArrayList<>();
    private int unanswered;
    private boolean follows;
    private boolean timedOut;
    private boolean over;
    private @Nullable Candidate primary;
    private @Nullable Candidate lastResort;
    private @Nullable Throwable problem;

    void begin() {
      Future<?> unused = Delays.after(TIME_TO_ANSWER, this::timeOut);
      askAll(servers);
    }

    private void timeOut() {
      synchronized (this) {
        timedOut = true;
      }
      settle();
    }

    private void askAll(List<RedisURI> uris) {
      List<RedisURI> fresh;
      synchronized (this) {
        fresh =
            uris.stream().filter(uri -> asked.size() < MOST_ASKED && asked.add(name(uri))).toList();
        unanswered += fresh.size();
      }
      fresh.forEach(this::ask);
      settle();
    }

    private void ask(RedisURI uri) {
      CompletionStage<?> unused;
      try {
        unused =
            client
                .connectAsync(StringCodec.UTF8, uri)
                .handle(
                    (connection, e) -> {
                      if (e != null) {
                        failed(e);
                      } else {
                        askRole(new Candidate(uri, connection));
                      }
                      return null;
                    });
      } catch (RuntimeException e) {
        failed(e);
      }
    }

    private void askRole(Candidate candidate) {
      CompletionStage<?> unused =
          candidate
              .connection
              .async()
              .role()
              .thenApply(RoleParser::parse)
              .handle(
                  (role, e) -> {
                    if (e != null) {
                      offer(candidate);
                      failed(ErrorMapping.ofCall(e));
                    } else if (role instanceof RedisReplicaInstance replica) {
                      isReplica(candidate, replica.getUpstream().getHost());
                    } else {
                      isPrimary(candidate);
                    }
                    return null;
                  });
    }

    private void failed(Throwable e) {
      synchronized (this) {
        unanswered--;
        problem = problem == null ? e : problem;
      }
      settle();
    }

    private void isReplica(Candidate candidate, HostAndPort of) {
      offer(candidate);
      synchronized (this) {
        unanswered--;
        replicas.add(name(candidate.uri));
        if (mayFollow(candidate.uri, of)) {
          toFollow.add(at(candidate.uri, of));
        }
      }
      settle();
    }

    /** Keeps the connection to a lone server as a last resort, whatever its role. */
    private void offer(Candidate candidate) {
      synchronized (this) {
        if (!over && servers.size() == 1 && lastResort == null) {
          lastResort = candidate;
          return;
        }
      }
      close(candidate);
    }

    private void isPrimary(Candidate candidate) {
      Candidate other;
      boolean isTheSecond;
      synchronized (this) {
        unanswered--;
        other = primary;
        // two upstreams may be one server with two names
        isTheSecond = !over && other != null && !follows;
        if (!over && other == null) {
          primary = candidate;
        } else {
          other = candidate;
        }
      }
      if (isTheSecond) {
        close(candidate);
        fail(candidate);
      } else if (other != null) {
        close(other);
      }
      settle();
    }

    private void fail(Candidate second) {
      Candidate first;
      synchronized (this) {
        first = primary;
        if (over || first == null) {
          return;
        }
        over = true;
      }
      close(first);
      found.completeExceptionally(
          new StoreFailure(
              StoreProblem.Reason.SERVER_STATE,
              true,
              "Both %s and %s say that they are the primary; make one a replica of the other"
                  .formatted(name(first.uri), name(second.uri)),
              null));
    }

    /** Ends the search if its result is certain, or asks the upstreams. */
    private void settle() {
      List<RedisURI> next = List.of();
      Candidate chosen = null;
      Candidate other = null;
      synchronized (this) {
        if (over || (unanswered > 0 && !timedOut)) {
          return;
        }
        if (primary != null) {
          chosen = primary;
          other = lastResort;
        } else if (!toFollow.isEmpty()) {
          follows = true;
          next = List.copyOf(toFollow);
          toFollow.clear();
        } else if (unanswered > 0) {
          return;
        } else {
          chosen = lastResort;
        }
        over = next.isEmpty();
      }
      if (other != null) {
        close(other);
      }
      if (!next.isEmpty()) {
        askAll(next);
      } else if (chosen != null) {
        found.complete(chosen.connection);
      } else {
        found.completeExceptionally(noPrimary());
      }
    }

    private synchronized Throwable noPrimary() {
      Throwable problem = this.problem;
      return replicas.isEmpty() && problem != null
          ? problem
          : new StoreFailure(
              StoreProblem.Reason.SERVER_STATE,
              true,
              "None of the servers that answer is the primary, %s are replicas".formatted(replicas),
              problem);
    }

    private void close(Candidate candidate) {
      CompletableFuture<Void> unused =
          candidate
              .connection
              .closeAsync()
              .whenComplete(
                  (nothing, e) -> {
                    if (e != null) {
                      LOG.debug("{} could not be left", name(candidate.uri), e);
                    }
                  });
    }
  }
}
