// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import java.util.function.Function;

/** All contenders. A new one is a class that implements {@link Contender}, and a line here. */
public enum Contenders {
  /** The least that a lock on Redis can be. */
  RAW("raw Lettuce", RawContender::new),
  /** What users write who release themselves. */
  ACQUIRE("Monolock acquire", uri -> MonolockContender.of(uri, MonolockContender.Style.ACQUIRE)),
  /** The front door. */
  WITH_LOCK("Monolock withLock", uri -> MonolockContender.of(uri, MonolockContender.Style.SCOPE)),
  /** With a fencing number for each lock. */
  FENCED("Monolock fenced", uri -> MonolockContender.of(uri, MonolockContender.Style.FENCED)),
  /** On the server that Sentinels name. */
  SENTINEL("Monolock, Sentinel", uri -> MonolockContender.of(uri, MonolockContender.Style.ACQUIRE)),
  /** On a cluster, all of whose servers are named. */
  CLUSTER("Monolock, cluster", MonolockContender::clustered),
  /** On a server one of whose replicas has to have a grant. */
  REPLICATED("Monolock, one replica", MonolockContender::replicated),
  /** On several servers, all of which are named. */
  QUORUM("Monolock, quorum of 3", MonolockContender::quorum),
  /** Redisson's lock. */
  REDISSON("Redisson RLock", uri -> new RedissonContender(uri, false)),
  /** Redisson's lock whose waiters get it in turns. */
  REDISSON_FAIR("Redisson RFairLock", uri -> new RedissonContender(uri, true)),
  /** No lock, a round trip. */
  PING("PING", PingContender::new);

  private final String title;
  private final Function<String, Contender> factory;

  Contenders(String title, Function<String, Contender> factory) {
    this.title = title;
    this.factory = factory;
  }

  /**
   * What it is called in tables and charts.
   *
   * @return the name
   */
  public String title() {
    return title;
  }

  /**
   * Opens it on a server, or on several.
   *
   * @param uri the server, or all servers with commas between them
   * @return the contender
   */
  public Contender open(String uri) {
    return factory.apply(uri);
  }
}
