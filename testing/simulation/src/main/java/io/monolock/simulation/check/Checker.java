// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.Lock;
import io.monolock.LockStoreException;
import io.monolock.simulation.Instance;
import io.monolock.simulation.check.Sometimes.State;
import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Server;
import io.monolock.simulation.world.SimulatedProcess;
import io.monolock.simulation.world.Witness;
import io.monolock.simulation.world.World;
import io.monolock.store.Grant;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Knows what happened so far, and lets every {@link Rule} look at it. */
public final class Checker implements Witness {

  private static final int TOKEN_LENGTH = 22;

  final World world;
  final List<Server> servers;
  final Losses losses;
  final Sometimes sometimes;
  final Settings settings;
  final List<Call> calls = new ArrayList<>();
  final List<Handle> open = new ArrayList<>();
  final Map<String, TokenFacts> tokens = new LinkedHashMap<>();
  private final Rule[] rules;
  private final Set<String> tolerated;
  private final Set<String> seen = new LinkedHashSet<>();
  private final Disturbances disturbances = new Disturbances();
  private long order;
  private @Nullable Violation violation;

  /**
   * What a fleet is like, as far as rules depend on it.
   *
   * @param longestHop how long a signal waits for a thread at most, in nanoseconds
   * @param tightTimeouts whether commands may be given up though nothing is wrong
   * @param largestTtl how long a lock may live at most
   * @param servers how many there will be
   * @param isNew whether members of a quorum are first asked now, so that some may not vote yet
   * @param kind of store, in words
   */
  public record Settings(
      long longestHop,
      boolean tightTimeouts,
      Duration largestTtl,
      int servers,
      boolean isNew,
      String kind) {}

  /**
   * A checker that has seen nothing yet.
   *
   * @param tolerated signatures that are not reported
   */
  public Checker(
      World world,
      List<Server> servers,
      Settings settings,
      Sometimes sometimes,
      Set<String> tolerated) {
    this.world = world;
    this.servers = servers;
    this.losses = new Losses(settings.servers, settings.largestTtl);
    this.sometimes = sometimes;
    this.settings = settings;
    this.tolerated = tolerated;
    this.rules = rules(this);
  }

  private static Rule[] rules(Checker checker) {
    return new Rule[] {
      new Exclusion(checker),
      new Backed(checker),
      new Fencing(checker),
      new OwnerOnly(checker),
      new AllOrNothing(checker),
      new HoldAtLeast(checker),
      new TruthfulRelease(checker),
      new ToldInTime(checker),
      new ResultOfTheBody(checker),
      new OneSignal(checker),
      new OwnThreads(checker),
      new OrderInLine(checker),
      new NoIdleWaiter(checker),
      new NeedlessFailure(checker),
      new FewCommands(checker),
      new NothingLeft(checker)
    };
  }

  /** The names of all rules, in the order in which they look. */
  public List<String> ruleNames() {
    return Arrays.stream(rules).map(rule -> rule.getClass().getSimpleName()).toList();
  }

  void broken(String signature, String subject, String detail) {
    if (tolerated.contains(signature)) {
      seen.add(signature);
    } else if (violation == null) {
      String word = subject.length() == TOKEN_LENGTH ? Command.shortened(subject) : subject;
      violation = new Violation(signature, word, detail, world.now());
      world.tell("checker", () -> "BROKEN " + signature + ": " + detail);
      world.stop();
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

  TokenFacts facts(String token) {
    return tokens.computeIfAbsent(token, any -> new TokenFacts());
  }

  /** Whether a majority of servers, and the ways to them, have been as usual since then. */
  boolean isCalm(Instance instance, long since) {
    int calm = 0;
    for (Server server : servers) {
      calm += isCalm(server, instance, since) ? 1 : 0;
    }
    return calm >= losses.majority();
  }

  /** Whether all servers, and the ways to them, have been as usual since then. */
  boolean isUntroubled(Instance instance, long since) {
    return servers.stream().allMatch(server -> isCalm(server, instance, since));
  }

  boolean isCalm(Server server, Instance instance, long since) {
    return isCalm(server, instance.process(), since);
  }

  boolean isCalm(Server server, SimulatedProcess process, long since) {
    return disturbances.until(server, process) < since;
  }

  /** Whether the process has run all the time since then, and had threads for signals. */
  boolean isAwakeSince(Instance instance, long time) {
    return instance.process().isAwakeSince(time);
  }

  /** A caller subscribes. */
  public void asked(Call call) {
    call.askedAt = world.now();
    call.askedOrder = order++;
    calls.add(call);
    call.options.token().ifPresent(token -> facts(token).isShared = true);
    switch (call.kind) {
      case ATTACH -> call.options.token().ifPresent(token -> facts(token).attaching++);
      case FORCE_RELEASE -> {
        sometimes.reached(State.FORCED);
        losses.forced(call.keys.asList().get(0));
      }
      case CLOSE -> close(call.instance);
      case RELEASE -> {
        if (call.handle != null) {
          releaseAsked(call.handle);
        }
      }
      default -> {}
    }
    world.tell(call.instance, () -> "asks " + call + " " + call.options);
    for (Rule rule : rules) {
      rule.asked(call);
    }
  }

  private void close(Instance instance) {
    instance.close();
    if (calls.stream().anyMatch(one -> one.instance.equals(instance) && one.isInLine())) {
      sometimes.reached(State.CLOSED_WITH_WAITERS);
    }
  }

  /** A caller, or the end of a scope, gives a lock back. */
  public void releaseAsked(Handle handle) {
    if (!handle.released) {
      handle.released = true;
      handle.releaseAskedAt = world.now();
    }
    handle.facts.releaseAsked = true;
    handle.facts.releasedIn.add(handle.instance());
  }

  /** A body begins. */
  public BodyRun begins(Call call, Handle handle) {
    userCode("a body");
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
    userCode("the cancel of a body");
    run.cancelled();
    releaseAsked(run.handle);
  }

  /** The library calls something of its user's. */
  public void userCode(String what) {
    for (Rule rule : rules) {
      rule.userCode(what);
    }
  }

  /** The handle of a lock. */
  public Handle handleOf(Lock lock) {
    for (Handle handle : facts(lock.token()).handles) {
      if (handle.lock == lock) {
        return handle;
      }
    }
    throw new IllegalStateException("a lock that was never delivered");
  }

  void ended(Call call) {
    if (call.kind == Call.Kind.ATTACH) {
      call.options.token().ifPresent(token -> facts(token).attaching--);
    }
    if (call.error instanceof LockStoreException e) {
      sometimes.reached(
          e.reason() == Reason.NOT_REPLICATED ? State.NOT_REPLICATED : State.STORE_FAILED);
    }
    world.tell(call.instance, () -> call + call.outcome());
    for (Rule rule : rules) {
      rule.ended(call);
    }
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
    world.tell(call.instance, () -> "has " + handle);
    for (Rule rule : rules) {
      rule.delivered(handle);
    }
    open.add(handle);
    return handle;
  }

  @Override
  public void sent(Command command) {
    TokenFacts facts = facts(command.token());
    if (facts.firstAskedAt < 0) {
      facts.firstAskedAt = world.now();
      facts.process = command.process();
    }
    if (command.kind() == Command.Kind.TRANSFER) {
      facts(command.next()).keys.addAll(command.keys().asList());
    }
    facts.keys.addAll(command.keys().asList());
    for (Rule rule : rules) {
      rule.sent(command);
    }
  }

  @Override
  public void executed(Server server, Command command, @Nullable Object answer) {
    TokenFacts facts = facts(command.token());
    sometimes.executed(command, answer);
    boolean yes = Boolean.TRUE.equals(answer);
    switch (command.kind()) {
      case ACQUIRE -> {
        if (answer instanceof Grant.Granted granted) {
          facts.granted(server, command, world.now());
          facts.freshlyGrantedAt = granted.fresh() ? world.now() : facts.freshlyGrantedAt;
        }
      }
      case TRANSFER -> {
        if (answer != null) {
          freed(facts, server, command);
          facts(command.next()).granted(server, command, world.now());
        }
      }
      case RELEASE -> {
        if (yes) {
          freed(facts, server, command);
        } else {
          facts.notFreedAt.put(server, world.now());
        }
      }
      case EXTEND -> {
        if (yes) {
          facts.written(server, command, world.now());
        }
      }
      default -> {}
    }
    for (Rule rule : rules) {
      rule.executed(server, command, answer);
    }
  }

  private void freed(TokenFacts facts, Server server, Command command) {
    facts.freedAt.put(server, world.now());
    facts.freedBy.add(command.process());
  }

  @Override
  public void late(Command command) {
    sometimes.reached(State.EXECUTED_LATE);
    if (command.kind() == Command.Kind.RELEASE || command.kind() == Command.Kind.TRANSFER) {
      facts(command.token()).releasedLate = true;
    }
  }

  @Override
  public void sentAgain(Command command) {
    sometimes.reached(State.SENT_AGAIN);
  }

  @Override
  public void denied(Command command) {
    facts(command.token()).denied |= command.kind() == Command.Kind.RELEASE;
    for (Rule rule : rules) {
      rule.denied(command);
    }
  }

  @Override
  public void forgot(Server server, Set<String> keys) {
    losses.forgot(server, keys, world.now());
    disturbed(server, null, world.now());
  }

  @Override
  public void disturbed(Server server, @Nullable SimulatedProcess process, long until) {
    disturbances.add(server, process, Math.max(until, world.now()));
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
    for (Rule rule : rules) {
      rule.tick();
    }
  }

  /** To be called when all callers have come to an end. */
  public void whenQuiet() {
    for (Rule rule : rules) {
      rule.whenQuiet();
    }
  }

  /** To be called when all ttl's are over, too. */
  public void whenSettled() {
    for (Rule rule : rules) {
      rule.whenSettled();
    }
  }

  /** To be called when all lockers have closed. */
  public void atEnd() {
    for (Rule rule : rules) {
      rule.atEnd();
    }
  }
}
