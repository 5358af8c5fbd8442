// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.CommandRecorder;
import io.monolock.test.FaultProxy;
import io.monolock.test.RecordedCommand;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/** A locker behind a bad network, what it has told its observer, and what Redis was asked. */
final class Setup implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(20);

  /** An answer that takes longer than this is none. */
  static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

  final RedisServer server;
  final FaultProxy proxy;
  final Told told = new Told();
  final ReactiveLocker locker;

  private final RedisClient client = RedisClient.create();
  private final CommandRecorder recorder;

  Setup(RedisServer server) {
    this(server, COMMAND_TIMEOUT);
  }

  Setup(RedisServer server, Duration commandTimeout) {
    this.server = server;
    this.proxy = FaultProxy.before(server);
    this.locker =
        ReactiveLocker.builder(RedisLockStore.create(client, RedisURI.create(proxy.uri())))
            .commandTimeout(commandTimeout)
            .observer(told)
            .build();
    warmUp(locker);
    this.recorder = CommandRecorder.of(server);
    told.clear();
  }

  /** Opens the connection and loads the scripts, so that both are out of the way. */
  private static void warmUp(ReactiveLocker locker) {
    locker
        .acquire("warm-up", Duration.ofSeconds(30))
        .flatMap(lock -> lock.extend(Duration.ofSeconds(31)).then(lock.release()))
        .block(PATIENCE);
  }

  boolean isFree(String key) {
    return server.commandAsLong("EXISTS", key) == 0;
  }

  long pttl(String key) {
    return server.commandAsLong("PTTL", key);
  }

  /** How many extensions of this key Redis has been asked for. */
  long extensions(String key) {
    return asked().filter(asked -> asked.key().equals(key) && asked.isExtension()).count();
  }

  /** The ttl in milliseconds that the last extension of this key asked for. */
  String lastExtension(String key) {
    return asked()
        .filter(asked -> asked.key().equals(key) && asked.isExtension())
        .reduce((first, second) -> second)
        .orElseThrow()
        .time();
  }

  /** How many releases of this key Redis has been asked for. */
  long releases(String key) {
    return asked().filter(asked -> asked.key().equals(key) && !asked.isExtension()).count();
  }

  /** The keys for which Redis was asked for an extension after it was asked for the release. */
  Set<String> extendedAfterRelease() {
    Set<String> released = new HashSet<>();
    Set<String> extended = new HashSet<>();
    asked()
        .forEachOrdered(
            asked -> {
              if (!asked.isExtension()) {
                released.add(asked.key());
              } else if (released.contains(asked.key())) {
                extended.add(asked.key());
              }
            });
    return extended;
  }

  /** Of all extensions, how many fell into the slice of time that had most of them. */
  double busiestShareOfExtensions(Duration slice) {
    List<Long> slices =
        asked()
            .filter(Asked::isExtension)
            .map(a -> a.at().toEpochMilli() / slice.toMillis())
            .toList();
    Map<Long, Long> counts =
        slices.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    return (double) Collections.max(counts.values()) / slices.size();
  }

  /** How many scripts Redis has been asked for. */
  long scripts() {
    return evals().count();
  }

  private Stream<RecordedCommand> evals() {
    return recorder.commands().stream().filter(command -> command.name().startsWith("eval"));
  }

  /** An extension of one key, or its release, which asks for a time of zero. */
  private record Asked(Instant at, String key, String time) {
    boolean isExtension() {
      return !time.equals("0");
    }
  }

  private Stream<Asked> asked() {
    return evals()
        .filter(command -> command.words().size() == 6 && command.words().get(2).equals("1"))
        .map(command -> new Asked(command.time(), command.words().get(3), command.words().get(5)));
  }

  static void pass(Duration time) {
    Mono.delay(time).block(PATIENCE);
  }

  /** Ends all faults, and proves with it that the locker is able to end. */
  @Override
  public void close() {
    server.resume();
    proxy.reset();
    recorder.close();
    locker.close().block(PATIENCE);
    client.shutdown(0, 0, TimeUnit.SECONDS);
    proxy.close();
  }
}
