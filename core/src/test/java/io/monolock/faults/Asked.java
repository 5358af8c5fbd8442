// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import io.monolock.test.CommandRecorder;
import io.monolock.test.RecordedCommand;
import io.monolock.test.RedisServer;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/** What Redis has been asked about locks of one key since it was begun to be watched. */
final class Asked implements AutoCloseable {

  private final CommandRecorder recorder;

  Asked(RedisServer server) {
    this.recorder = CommandRecorder.of(server);
  }

  /** How many scripts there were, of any kind. */
  long scripts() {
    return evals().count();
  }

  /** How many extensions of this key. */
  long extensions(String key) {
    return extensionsOf(key).count();
  }

  /** The ttl in milliseconds that the last extension of this key was to give it. */
  String lastExtension(String key) {
    return extensionsOf(key).reduce((first, second) -> second).orElseThrow().time();
  }

  /** How many releases of this key. */
  long releases(String key) {
    return calls().filter(call -> call.key().equals(key) && !call.isExtension()).count();
  }

  /** The keys of which an extension was asked for after their release. */
  Set<String> extendedAfterRelease() {
    Set<String> released = new HashSet<>();
    Set<String> extended = new HashSet<>();
    calls()
        .forEachOrdered(
            call -> {
              if (!call.isExtension()) {
                released.add(call.key());
              } else if (released.contains(call.key())) {
                extended.add(call.key());
              }
            });
    return extended;
  }

  private Stream<Call> extensionsOf(String key) {
    return calls().filter(call -> call.key().equals(key) && call.isExtension());
  }

  private Stream<RecordedCommand> evals() {
    return recorder.commands().stream().filter(command -> command.name().startsWith("eval"));
  }

  /** An extension of one key, or its release, which asks for no time. */
  private record Call(String key, String time) {
    boolean isExtension() {
      return !time.isEmpty();
    }
  }

  private Stream<Call> calls() {
    return evals()
        .map(RecordedCommand::words)
        .filter(words -> words.get(2).equals("1") && (words.size() == 5 || words.size() == 6))
        .map(words -> new Call(words.get(3), words.size() == 6 ? words.get(5) : ""));
  }

  @Override
  public void close() {
    recorder.close();
  }
}
