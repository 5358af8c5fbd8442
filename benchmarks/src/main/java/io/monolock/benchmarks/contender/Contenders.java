// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import java.util.function.Function;
import java.util.stream.Stream;

/** All contenders. A new one is a class that implements {@link Contender}, and a line here. */
public enum Contenders {
  /** The minimum of a lock on Redis. */
  RAW("raw Lettuce", "#7d8590", RawContender::new),
  /** Handles that the caller releases. */
  ACQUIRE(
      "Monolock acquire",
      "#2f81f7",
      uri -> MonolockContender.of(uri, MonolockContender.Style.ACQUIRE)),
  /** Scopes. */
  WITH_LOCK(
      "Monolock withLock",
      "#12958c",
      uri -> MonolockContender.of(uri, MonolockContender.Style.SCOPE)),
  /** With a fencing number for each lock. */
  FENCED(
      "Monolock fenced",
      "#8b6cf0",
      uri -> MonolockContender.of(uri, MonolockContender.Style.FENCED)),
  /** Signals run on the event loop, as those of raw Lettuce do. */
  IMMEDIATE("Monolock, immediate()", "#768390", MonolockContender::immediate),
  /** A lease that is passed on for a few milliseconds only before it has to prove itself. */
  SHORT_TTL(
      "Monolock, ttl 300 ms",
      "#1f6f8b",
      uri -> MonolockContender.of(uri, MonolockContender.Style.SHORT_TTL)),
  /** Callers whose ttl's differ, so that each hand-over takes a command. */
  THREE_TTLS(
      "Monolock, three ttl's",
      "#7a6f1f",
      uri -> MonolockContender.of(uri, MonolockContender.Style.THREE_TTLS)),
  /** On the server that Sentinels name. */
  SENTINEL(
      "Monolock, Sentinel",
      "#2f9e4f",
      uri -> MonolockContender.of(uri, MonolockContender.Style.ACQUIRE)),
  /** On a cluster, all of whose servers are named. */
  CLUSTER("Monolock, cluster", "#b07d12", MonolockContender::clustered),
  /** On a server one of whose replicas has to have a grant. */
  REPLICATED("Monolock, one replica", "#cf4c9a", MonolockContender::replicated),
  /** On several servers, all of which are named. */
  QUORUM("Monolock, quorum of 3", "#946d4f", MonolockContender::quorum),
  /** Redisson's lock. */
  REDISSON("Redisson RLock", "#e0533f", uri -> new RedissonContender(uri, false)),
  /** Redisson's fair lock. */
  REDISSON_FAIR("Redisson RFairLock", "#d0741c", uri -> new RedissonContender(uri, true)),
  /** A client that asks again and again, as those without wake-ups do. */
  POLLER("SET NX every 10 ms", "#a15c38", PollingContender::new),
  /** No lock, a round trip. */
  PING("PING", "#5f87a8", PingContender::new);

  private final String title;
  private final String colour;
  private final Function<String, Contender> factory;

  Contenders(String title, String colour, Function<String, Contender> factory) {
    this.title = title;
    this.colour = colour;
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
   * The colour of its bars in every chart; stands out from white as from black.
   *
   * @return {@code #rrggbb}
   */
  public String colour() {
    return colour;
  }

  /**
   * Finds a contender.
   *
   * @param title what it is called in tables and charts
   * @return the contender
   */
  public static Contenders titled(String title) {
    return Stream.of(values())
        .filter(contender -> contender.title.equals(title))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no contender is called " + title));
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
