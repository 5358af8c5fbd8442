// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.engine.LockerSnapshot;
import io.monolock.quorum.QuorumLockStore;
import io.monolock.quorum.QuorumSnapshot;
import io.monolock.simulation.caller.Caller;
import io.monolock.simulation.check.Call;
import io.monolock.simulation.check.Checker;
import io.monolock.simulation.check.Handle;
import io.monolock.simulation.check.Sometimes;
import io.monolock.simulation.check.Sometimes.State;
import io.monolock.simulation.check.Violation;
import io.monolock.simulation.check.Watch;
import io.monolock.simulation.world.Link;
import io.monolock.simulation.world.Server;
import io.monolock.simulation.world.SimulatedProcess;
import io.monolock.simulation.world.SimulatedStore;
import io.monolock.simulation.world.Story;
import io.monolock.simulation.world.World;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Servers, processes with their lockers, and callers in them: one run of one plan. */
public final class Fleet {

  private static final long LONG_AGO = 3_600_000_000_000L;
  private static final long TICK = 10_000_000;
  private static final long SLICE = 100_000_000;

  /** A fleet that has sent more is brought to an end before its time. */
  private static final long MOST_COMMANDS = 4_000;

  private static final long UNTIL_QUIET = 16_000_000_000L;
  private static final long UNTIL_CLOSED = 12_000_000_000L;
  private static final int MOST_REMEMBERED = 8;

  private final Plan plan;
  private final Swarm swarm;
  private final Chance random;
  private final World world;
  private final Sometimes sometimes = new Sometimes();
  private final List<Server> servers = new ArrayList<>();
  private final List<Instance> instances = new ArrayList<>();
  private final List<Caller> callers = new ArrayList<>();
  private final List<Handle> remembered = new ArrayList<>();
  private final List<String> keys;
  private final Plant plant;
  private final Chance plantChance;
  private final Checker checker;
  private int started;
  private long faults;
  private boolean over;

  /** How a run went. */
  record Outcome(
      @Nullable Violation violation,
      Set<String> seen,
      Sometimes sometimes,
      long commands,
      long faults,
      long events,
      Story story) {}

  private Fleet(Plan plan, Story story, Set<String> tolerated, Plant plant) {
    this.plan = plan;
    this.swarm = plan.swarm();
    this.random = new Chance(~plan.seed());
    this.world = new World(story);
    this.keys = IntStream.range(0, swarm.keys()).mapToObj(i -> "key" + i).toList();
    this.checker =
        new Checker(
            world,
            servers,
            swarm.servers(),
            swarm.largestTtl(),
            new Checker.Settings(
                swarm.longestHop(),
                swarm.tightTimeouts(),
                Math.max(20_000_000, swarm.stepBack().toNanos()),
                swarm.quorum()),
            sometimes,
            tolerated);
    this.plant = plant;
    this.plantChance = new Chance(plan.seed());
    for (int i = 0; i < swarm.servers(); i++) {
      Server server = new Server(world, checker, "server" + (i + 1), random.rate(), random.split());
      plant.in(server);
      if (!swarm.isNew()) {
        server.age(LONG_AGO);
      }
      servers.add(server);
    }
    for (int i = 0; i < swarm.instances(); i++) {
      instances.add(start(i));
    }
  }

  /** Runs a plan to its end, or to the first promise that is not kept. */
  static Outcome run(Plan plan, boolean isWritten, Set<String> tolerated, Plant plant) {
    Fleet fleet = new Fleet(plan, new Story(isWritten), tolerated, plant);
    fleet.run();
    return new Outcome(
        fleet.checker.violation(),
        fleet.checker.seen(),
        fleet.sometimes,
        fleet.commands(),
        fleet.faults,
        fleet.world.happened(),
        fleet.world.story());
  }

  private long commands() {
    return servers.stream().mapToLong(Server::commands).sum();
  }

  private Instance start(int place) {
    SimulatedProcess process =
        new SimulatedProcess(
            world, "p" + ++started, random.rate(), swarm.longestHop(), random.split());
    List<Link> links = new ArrayList<>();
    List<LockStore> stores = new ArrayList<>();
    for (Server server : servers) {
      Link link = new Link(world, process, server, checker, swarm.speed(), random.split());
      links.add(link);
      stores.add(
          plant.in(new SimulatedStore(link, swarm.pushes(), swarm.transfers()), plantChance));
    }
    LockStore store = stores.size() == 1 ? stores.get(0) : quorum(stores, process);
    ReactiveLocker.Builder builder =
        ReactiveLocker.builder(store)
            .timer(process.timer())
            .publishOn(process.publishOn())
            .commandTimeout(swarm.commandTimeout())
            .turn(swarm.handOverTime());
    builder.observer(new FleetObserver(sometimes, swarm.observed(), swarm.observedSneakily()));
    ReactiveLocker locker = builder.build();
    return new Instance(
        place,
        process,
        locker,
        new LockerSnapshot(locker, random.split()),
        List.copyOf(links),
        new Instance.State());
  }

  private LockStore quorum(List<LockStore> stores, SimulatedProcess process) {
    sometimes.reached(State.QUORUM);
    QuorumLockStore.Builder builder =
        QuorumLockStore.builder(stores)
            .timer(process.timer())
            .memberTimeout(swarm.commandTimeout().dividedBy(4));
    if (swarm.knowsLargestTtl()) {
      builder.largestTtl(swarm.largestTtl());
    }
    return QuorumSnapshot.draw(builder, random.split()).build();
  }

  private void run() {
    world.stopWhen(() -> checker.violation() != null);
    world.whenThrown(checker::thrown);
    tick();
    for (Plan.Work work : plan.work()) {
      Caller caller = new Caller(this, work.place(), work.steps());
      callers.add(caller);
      var unused = world.after(work.startsAt(), caller::goOn);
    }
    for (Plan.Trouble trouble : plan.troubles()) {
      var unused = world.after(trouble.time(), () -> apply(trouble));
    }
    while (world.now() < Plan.DURATION && commands() < MOST_COMMANDS) {
      world.runUntil(world.now() + SLICE);
    }
    over = true;
    var unused = world.after(0, () -> callers.forEach(Caller::finish));
    long end = world.now();
    world.runUntil(end + UNTIL_QUIET);
    whenRunning(checker::whenQuiet);
    whenRunning(() -> instances.forEach(this::close));
    world.runUntil(end + UNTIL_QUIET + UNTIL_CLOSED);
    whenRunning(checker::atEnd);
  }

  private void whenRunning(Runnable action) {
    if (checker.violation() == null) {
      action.run();
    }
  }

  private void tick() {
    checker.tick();
    var unused = world.after(over ? 10 * TICK : TICK, this::tick);
  }

  private void apply(Plan.Trouble trouble) {
    faults++;
    trouble.fault().apply(this, new Chance(trouble.seed()));
  }

  private void close(Instance instance) {
    if (!instance.isClosing() && !instance.process().isDead()) {
      Call call = call(Call.Kind.CLOSE, instance, null);
      Watch.mono(instance.locker().close(), checker, () -> call).subscribe();
    }
  }

  private static Call call(Call.Kind kind, Instance instance, @Nullable Handle handle) {
    LockOptions options = LockOptions.of(Duration.ofSeconds(1));
    LockKeys keys = handle == null ? LockKeys.of("all") : LockKeys.of(handle.lock().keys());
    return new Call(kind, instance, keys, options, handle, 0);
  }

  /** Gives a lock back that a caller still has. */
  public void giveBack(Handle handle) {
    if (!handle.instance().process().isDead()) {
      Lock lock = handle.lock();
      Watch.mono(lock.release(), checker, () -> call(Call.Kind.RELEASE, handle.instance(), handle))
          .subscribe(value -> {}, e -> {});
    }
  }

  /** Ends a process without notice, and starts another one in its place. */
  public void crash(Instance instance) {
    sometimes.reached(State.CRASHED);
    instance.process().kill();
    instance.links().forEach(Link::cut);
    replace(instance);
  }

  /** Starts another process in its place, after a while. */
  public void replace(Instance instance) {
    var unused =
        world.after(
            300_000_000,
            () -> {
              if (instances.get(instance.number()).equals(instance)) {
                instances.set(instance.number(), start(instance.number()));
                callers.stream()
                    .filter(caller -> caller.place() == instance.number())
                    .forEach(Caller::goOn);
              }
            });
  }

  /** The signals of a call as its subscriber gets them. */
  public <T> Flux<T> signals(Call.Kind kind, Publisher<T> source, Instance instance) {
    return plant == Plant.NONE
        ? Flux.from(source)
        : plant.in(kind, Flux.from(source), plantChance, instance);
  }

  /** What this fleet is like. */
  public Swarm swarm() {
    return swarm;
  }

  /** The world it is in. */
  public World world() {
    return world;
  }

  /** Who checks it. */
  public Checker checker() {
    return checker;
  }

  /** Which rare states it has reached. */
  public Sometimes sometimes() {
    return sometimes;
  }

  /** The servers. */
  public List<Server> servers() {
    return servers;
  }

  /** The process that is at a place now. */
  public Instance instance(int place) {
    return instances.get(place);
  }

  /** Any process. */
  public Instance anyInstance(Chance chance) {
    return chance.pick(instances);
  }

  /** The keys that are locked. */
  public List<String> keys() {
    return keys;
  }

  /** Whether nothing new is to be begun. */
  public boolean isOver() {
    return over;
  }

  /** Remembers a handle for one who attaches to it. */
  public void remember(Handle handle) {
    remembered.add(handle);
    if (remembered.size() > MOST_REMEMBERED) {
      remembered.remove(0);
    }
  }

  /** A handle that was given out lately, if there is one. */
  public @Nullable Handle someHandle(Chance chance) {
    return remembered.isEmpty() ? null : chance.pick(remembered);
  }
}
