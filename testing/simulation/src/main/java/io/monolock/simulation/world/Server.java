// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import io.monolock.simulation.world.Command.Kind;
import io.monolock.store.Incarnation;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One Redis with a time of day of its own, and what may become of it. */
public final class Server {

  /** What a server may be unable to do for a while. */
  public enum Trouble {
    LOADING,
    OUT_OF_MEMORY,
    READ_ONLY,
    BUSY,
    NO_PERMISSION
  }

  /** Something that is to happen with the nth command of a kind. */
  private record Ambush(Kind kind, long nth, boolean before, Runnable action) {}

  private static final long LATEST_PUSH_OF_AN_END = 20_000_000;

  private final World world;
  private final Witness witness;
  private final String name;
  private final double rate;
  private final SplittableRandom random;
  private final Keyspace data = new Keyspace(this);
  private final Scripts scripts = new Scripts(this);
  private final List<Connection> connections = new ArrayList<>();
  private final List<Ambush> ambushes = new ArrayList<>();
  private final Map<Kind, Long> executed = new EnumMap<>(Kind.class);
  private final Set<Kind> known = EnumSet.allOf(Kind.class);

  private long commands;
  private long stepMicros = 1_700_000_000_000_000L;
  private int run = 1;
  private long remembersSinceMicros = -1;
  private int runThatRemembers;
  private long confirmedAt = -1;
  private long downUntil;
  private @Nullable Trouble trouble;
  private long troubledUntil;

  /**
   * A server that runs from now on, and is empty.
   *
   * @param rate how many microseconds of its clock one true microsecond has
   */
  public Server(World world, Witness witness, String name, double rate, SplittableRandom random) {
    this.world = world;
    this.witness = witness;
    this.name = name;
    this.rate = rate;
    this.random = random;
  }

  /** How many commands it has been sent. */
  public long commands() {
    return commands;
  }

  /** It has run for so long before the world began. */
  public void age(long nanos) {
    remembersSinceMicros = stepMicros - nanos / 1_000;
    runThatRemembers = run;
  }

  /** What it keeps. */
  public Keyspace data() {
    return data;
  }

  Scripts scripts() {
    return scripts;
  }

  long now() {
    return world.now();
  }

  long micros() {
    return stepMicros + (long) (world.now() * rate) / 1_000;
  }

  long millis() {
    return micros() / 1_000;
  }

  /** Does something soon after so many milliseconds of its clock. */
  void afterMillis(long millis, Runnable action) {
    long delay = (long) (millis * 1_000_000.0 / rate) + 1_000_000;
    var unused = world.after(delay + random.nextLong(LATEST_PUSH_OF_AN_END), action);
  }

  void connect(Connection connection) {
    connections.add(connection);
  }

  boolean isDown() {
    return world.now() < downUntil;
  }

  /** False for the first command of a kind since it has lost its scripts. */
  boolean knowsScript(Kind kind) {
    return !known.add(kind);
  }

  /** Loses its scripts, as by SCRIPT FLUSH. */
  public void forgetScripts() {
    known.clear();
  }

  /** Carries out a command; what it answers, null for nothing. */
  @Nullable Object execute(Connection connection, Command command) {
    commands++;
    long nth = executed.merge(command.kind(), 1L, Long::sum);
    spring(command.kind(), nth, true);
    StoreFailure refusal = refusal(command);
    if (refusal != null) {
      world.tell(this, () -> "refuses " + command + " of " + command.process());
      if (!refusal.isTransient()) {
        witness.denied(command);
      }
      throw refusal;
    }
    Object answer = command.script().apply(connection);
    world.tell(
        this, () -> command + " of " + command.process() + ": " + (answer == null ? "-" : answer));
    witness.executed(this, command, answer);
    spring(command.kind(), nth, false);
    return answer;
  }

  private @Nullable StoreFailure refusal(Command command) {
    Trouble present = world.now() < troubledUntil ? trouble : null;
    if (present == null || (present == Trouble.OUT_OF_MEMORY && !command.needsMemory())) {
      return null;
    }
    return present == Trouble.NO_PERMISSION
        ? new StoreFailure(Reason.PERMISSION, false, name + " denies that", null)
        : new StoreFailure(Reason.SERVER_STATE, true, name + " is " + present, null);
  }

  Incarnation incarnation() {
    if (remembersSinceMicros < 0 || runThatRemembers != run) {
      remembersSinceMicros = micros();
      runThatRemembers = run;
    }
    long age = Math.max(0, micros() - remembersSinceMicros) / 1_000;
    return new Incarnation(name + "#" + run, Duration.ofMillis(age));
  }

  boolean declareNew() {
    remembersSinceMicros = 0;
    runThatRemembers = run;
    return true;
  }

  /** Whether a replica has what was written so far; it often does. */
  boolean isReplicated() {
    boolean reached = random.nextInt(10) > 0;
    confirmedAt = reached ? world.now() : confirmedAt;
    return reached;
  }

  /** Does something right before or after the nth command of a kind from now on. */
  public void ambush(Kind kind, int nth, boolean before, Runnable action) {
    ambushes.add(new Ambush(kind, executed.getOrDefault(kind, 0L) + nth, before, action));
  }

  private void spring(Kind kind, long nth, boolean before) {
    for (int i = 0; i < ambushes.size(); i++) {
      Ambush ambush = ambushes.get(i);
      if (ambush.kind == kind && ambush.nth == nth && ambush.before == before) {
        ambushes.remove(i);
        ambush.action.run();
        return;
      }
    }
  }

  /** Ends the connections to it, and takes no new ones until then. */
  public void goDown(long until) {
    world.tell(this, () -> "is down until " + until);
    downUntil = until;
    data.forgetReaders();
    connections.forEach(Connection::cut);
    witness.disturbed(this, null, until);
  }

  /** Is killed and started again, with what it had or without. */
  public void restart(long duration, boolean empty) {
    goDown(world.now() + duration);
    run++;
    forgetScripts();
    if (empty) {
      flush();
    } else {
      witness.forgot(this, Set.of());
    }
  }

  /** Loses everything. */
  public void flush() {
    world.tell(this, () -> "loses everything");
    remembersSinceMicros = -1;
    witness.forgot(this, data.clear());
  }

  /** Another one takes over, which lacks what was written last, but what it has confirmed. */
  public void failOver(long lag, long duration) {
    goDown(world.now() + duration);
    run++;
    forgetScripts();
    Set<String> undone = data.undoSince(Math.max(confirmedAt + 1, world.now() - lag));
    world.tell(this, () -> "is another one now, which lacks the last of " + undone);
    witness.forgot(this, undone);
  }

  /** Its time of day jumps. */
  public void stepClock(long step) {
    world.tell(this, () -> "jumps by " + step / 1_000_000 + " ms");
    Set<String> before = data.keys();
    stepMicros += step / 1_000;
    witness.forgot(this, before);
  }

  /** Refuses some commands, or all, for a while. */
  public void trouble(Trouble kind, long duration) {
    world.tell(this, () -> "is " + kind + " for " + duration / 1_000_000 + " ms");
    trouble = kind;
    troubledUntil = world.now() + duration;
    witness.disturbed(this, null, troubledUntil);
  }

  /** A client of another kind writes a key if it is free; zero milliseconds are for ever. */
  public boolean setIfAbsent(String key, String value, long millis) {
    if (data.get(key) != null) {
      return false;
    }
    world.tell(this, () -> "SET " + key + " " + value + " NX PX " + millis);
    data.put(key, value, "", millis == 0 ? Keyspace.NEVER : millis);
    return true;
  }

  /** A client of another kind deletes what it wrote. */
  public void deleteIf(String key, String value) {
    Keyspace.Entry entry = data.get(key);
    if (entry != null && entry.token().equals(value)) {
      world.tell(this, () -> "DEL " + key);
      data.remove(key);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
