// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.Lock;
import io.monolock.LockStoreException;
import io.monolock.simulation.Instance;
import io.monolock.simulation.check.Sometimes.State;
import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Server;
import io.monolock.simulation.world.Witness;
import io.monolock.simulation.world.World;
import io.monolock.store.Grant;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Knows what happened so far, and lets every {@link Rule} look at it. */
public final class Checker implements Witness {

  private static final int TOKEN_LENGTH = 22;

  final World world;
  final List<Server> servers;
  final Losses losses;
  final Duration largestTtl;
  final Sometimes sometimes;
  final Settings settings;
  final List<Call> calls = new ArrayList<>();
  final List<Handle> open = new ArrayList<>();
  final Map<String, TokenFacts> tokens = new LinkedHashMap<>();
  private final List<Rule> rules;
  private final Set<String> tolerated;
  private final Set<String> seen = new LinkedHashSet<>();
  private long disturbedUntil;
  private long order;
  private @Nullable Violation violation;

  /**
   * What a fleet is like, as far as rules depend on it.
   *
   * @param longestHop how long a signal waits for a thread at most, in nanoseconds
   * @param tightTimeouts whether commands may be given up though nothing is wrong
   * @param stepBack the longest step back of a locker, in nanoseconds
   * @param quorum which kind of quorum it is, empty for none
   */
  public record Settings(long longestHop, boolean tightTimeouts, long stepBack, String quorum) {}

  /**
   * A checker that has seen nothing yet.
   *
   * @param tolerated signatures that are not reported
   */
  public Checker(
      World world,
      List<Server> servers,
      int numberOfServers,
      Duration largestTtl,
      Settings settings,
      Sometimes sometimes,
      Set<String> tolerated) {
    this.world = world;
    this.servers = servers;
    this.losses = new Losses(numberOfServers);
    this.largestTtl = largestTtl;
    this.settings = settings;
    this.sometimes = sometimes;
    this.tolerated = tolerated;
    this.rules =
        List.of(
            new Exclusion(this),
            new Backed(this),
            new Fencing(this),
            new OwnerOnly(this),
            new AllOrNothing(this),
            new HoldAtLeast(this),
            new TruthfulRelease(this),
            new ToldInTime(this),
            new ResultOfTheBody(this),
            new OneSignal(this),
            new OrderInLine(this),
            new NobodyIdle(this),
            new FewCommands(this),
            new NothingLeft(this));
  }

  void broken(String signature, String subject, String detail) {
    if (tolerated.contains(signature)) {
      seen.add(signature);
    } else if (violation == null) {
      String word = subject.length() == TOKEN_LENGTH ? subject.substring(0, 4) : subject;
      violation = new Violation(signature, word, detail, world.now());
      story("checker", () -> "BROKEN " + signature + ": " + detail);
    }
  }

  /** Something was thrown where nothing may be thrown. */
  public void thrown(Throwable e) {
    String where = "the world";
    for (StackTraceElement frame : e.getStackTrace()) {
      if (frame.getClassName().matches("io\\.monolock\\.(engine|quorum)\\.\\w+.*")) {
        where = frame.getClassName().replaceAll(".*\\.|\\$.*", "");
        break;
      }
    }
    broken("Thrown: " + e.getClass().getSimpleName() + " in " + where, "", e.toString());
  }

  /** The signatures that were tolerated. */
  public Set<String> seen() {
    return seen;
  }

  /** The first promise that was not kept, null if there is none. */
  public @Nullable Violation violation() {
    return violation;
  }

  void story(String subject, Supplier<String> text) {
    world.story().add(world.now(), subject, text);
  }

  TokenFacts facts(String token) {
    return tokens.computeIfAbsent(token, any -> new TokenFacts());
  }

  /** Whether nothing has been wrong with servers, links and processes since then. */
  boolean isCalmSince(long time) {
    return disturbedUntil < time;
  }

  /** Whether the process has run all the time since then. */
  boolean isAwakeSince(Instance instance, long time) {
    return !instance.process().isPaused() && instance.process().awakeSince() <= time;
  }

  private void each(Consumer<Rule> look) {
    rules.forEach(look);
  }

  /** A caller subscribes. */
  public void asked(Call call) {
    call.askedAt = world.now();
    call.askedOrder = order++;
    calls.add(call);
    call.options.token().ifPresent(token -> facts(token).isShared = true);
    Handle handle = call.handle;
    switch (call.kind) {
      case ATTACH -> call.options.token().ifPresent(token -> facts(token).attaching++);
      case FORCE_RELEASE -> {
        sometimes.reached(State.FORCED);
        losses.forced(call.keys.asList().get(0), Long.MAX_VALUE);
      }
      case CLOSE -> close(call.instance);
      case RELEASE -> {
        if (handle != null) {
          releaseAsked(handle);
        }
      }
      default -> {}
    }
    story(call.instance.toString(), () -> "asks " + call + " " + call.options);
    each(rule -> rule.asked(call));
  }

  private void close(Instance instance) {
    instance.state().close();
    if (calls.stream().anyMatch(one -> one.instance.equals(instance) && one.isInLine())) {
      sometimes.reached(State.CLOSED_WITH_WAITERS);
    }
  }

  /** A caller, or the end of a scope, gives a lock back. */
  public void releaseAsked(Handle handle) {
    handle.released = true;
    facts(handle.token).releaseAsked = true;
    facts(handle.token).releasedIn.add(handle.instance());
  }

  /** A body begins. */
  public BodyRun begins(Call call, Handle handle) {
    BodyRun run = new BodyRun(handle);
    call.body = run;
    return run;
  }

  /** A body has ended by itself, with an error or null. */
  public void bodyEnded(BodyRun run, @Nullable Throwable problem) {
    run.ended(problem, world.now());
    releaseAsked(run.handle);
  }

  /** A body is told to stop. */
  public void bodyCancelled(BodyRun run) {
    run.cancelled();
    releaseAsked(run.handle);
  }

  /** The handle of a lock. */
  public Handle handleOf(Lock lock) {
    return facts(lock.token()).handles.stream()
        .filter(handle -> handle.lock == lock)
        .findFirst()
        .orElseThrow();
  }

  void ended(Call call) {
    if (call.kind == Call.Kind.ATTACH) {
      call.options.token().ifPresent(token -> facts(token).attaching--);
    }
    if (call.error instanceof LockStoreException e && e.reason() == Reason.UNKNOWN_OUTCOME) {
      sometimes.reached(State.UNKNOWN_OUTCOME);
    }
    story(
        call.instance.toString(),
        () ->
            call
                + (call.cancelled ? " cancelled" : call.error != null ? " " + call.error : " ended")
                + call.values);
    each(rule -> rule.ended(call));
  }

  /** A caller was given a handle. */
  public Handle delivered(Lock lock, Call call) {
    TokenFacts facts = facts(lock.token());
    Handle handle = new Handle(lock, call, facts);
    facts.handles.add(handle);
    facts.isShared |= handle.isShared;
    if (!facts.isShared) {
      // what attempts before this one gave back
      facts.freedAt.clear();
      facts.freedBy.clear();
    }
    if (call.kind == Call.Kind.ATTACH) {
      sometimes.reached(State.ATTACHED);
    }
    story(handle.instance().toString(), () -> "has " + handle);
    each(rule -> rule.delivered(handle));
    open.add(handle);
    return handle;
  }

  @Override
  public void sent(Command command) {
    TokenFacts facts = facts(command.token());
    if (facts.firstAskedAt < 0) {
      facts.firstAskedAt = world.now();
      facts.instance = instanceOf(command);
    }
    if (command.kind() == Command.Kind.TRANSFER) {
      facts(command.next()).keys.addAll(command.keys().asList());
    }
    facts.keys.addAll(command.keys().asList());
    each(rule -> rule.sent(command));
  }

  private @Nullable Instance instanceOf(Command command) {
    for (int i = calls.size() - 1; i >= 0; i--) {
      Instance instance = calls.get(i).instance;
      if (instance.process() == command.process()) {
        return instance;
      }
    }
    return null;
  }

  @Override
  public void executed(Server server, Command command, @Nullable Object answer) {
    TokenFacts facts = facts(command.token());
    sometimes.executed(command, answer);
    switch (command.kind()) {
      case ACQUIRE -> {
        if (answer instanceof Grant.Granted granted) {
          facts.grantedAt = world.now();
          facts.writtenAt.put(server, world.now());
          facts.freshlyGrantedAt = granted.fresh() ? world.now() : facts.freshlyGrantedAt;
        }
      }
      case TRANSFER -> {
        if (answer != null) {
          freed(facts, server, command);
          facts(command.next()).grantedAt = world.now();
          facts(command.next()).writtenAt.put(server, world.now());
        }
      }
      case RELEASE -> {
        if (Boolean.TRUE.equals(answer)) {
          freed(facts, server, command);
        } else {
          facts.notFreedAt.put(server, world.now());
        }
      }
      case EXTEND -> {
        if (Boolean.TRUE.equals(answer)) {
          facts.writtenAt.put(server, world.now());
        }
      }
      default -> {}
    }
    each(rule -> rule.executed(server, command, answer));
  }

  private static void freed(TokenFacts facts, Server server, Command command) {
    facts.freedAt.add(server);
    facts.freedBy.add(command.process());
  }

  @Override
  public void denied(Command command) {
    facts(command.token()).denied |= command.kind() == Command.Kind.RELEASE;
  }

  @Override
  public void restarted(Server server) {
    losses.restarted();
  }

  @Override
  public void forgot(Server server, Set<String> keys) {
    losses.forgot(server, keys, world.now());
    disturbed(world.now());
  }

  @Override
  public void disturbed(long until) {
    disturbedUntil = Math.max(disturbedUntil, Math.max(until, world.now()));
  }

  private void forgetEnded() {
    for (int i = open.size() - 1; i >= 0; i--) {
      Handle handle = open.get(i);
      if (!handle.isValid()) {
        handle.invalidSince = world.now();
        open.remove(i);
      }
    }
  }

  /** To be called every few milliseconds. */
  public void tick() {
    forgetEnded();
    each(Rule::tick);
  }

  /** To be called when all callers have come to an end. */
  public void whenQuiet() {
    each(Rule::whenQuiet);
  }

  /** To be called when all lockers have closed. */
  public void atEnd() {
    each(Rule::atEnd);
  }
}
