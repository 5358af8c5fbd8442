// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.engine.LockerSnapshot;
import io.monolock.quorum.QuorumLockStore;
import io.monolock.quorum.QuorumSnapshot;
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
import io.monolock.simulation.world.World;
import io.monolock.store.Holder;
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
import reactor.core.publisher.Mono;

/** Servers, processes with their lockers, and callers in them: one run of one plan. */
final class Fleet {

  private static final long LONG_AGO = 3_600_000_000_000L;
  private static final long LONGEST_WAIT = 3_000_000_000L;

  /** When what was sent at the beginning has arrived, as nothing is wrong before. */
  private static final long UNTIL_DECLARED = 1_000_000_000L;

  private static final long TICK = 10_000_000;
  private static final long SLICE = 100_000_000;

  /** A fleet that has sent more is brought to an end before its time. */
  private static final long MOST_COMMANDS = 2_000;

  private static final long UNTIL_QUIET = 16_000_000_000L;

  /** Longer than any ttl, as what is in doubt is released again until then. */
  private static final long UNTIL_SETTLED = 70_000_000_000L;

  private static final long UNTIL_CLOSED = 12_000_000_000L;
  private static final int MOST_REMEMBERED = 8;

  private final Plan plan;
  private final Swarm swarm;
  private final Chance random;
  private final Plant plant;
  private final Chance plantChance;
  private final Sometimes sometimes = new Sometimes();
  private final List<Server> servers = new ArrayList<>();
  private final List<Instance> instances = new ArrayList<>();
  private final List<Caller> callers = new ArrayList<>();
  private final List<Handle> remembered = new ArrayList<>();
  private final List<String> keys;
  private final World world;
  private final Checker checker;
  private int started;
  private long beginsAt;
  private long faults;
  private boolean over;

  /** How a run went. */
  record Outcome(
      @Nullable Violation violation,
      Set<String> seen,
      Sometimes sometimes,
      long commands,
      long faults,
      World world) {}

  private Fleet(Plan plan, boolean isTold, Set<String> tolerated, Plant plant) {
    this.plan = plan;
    this.swarm = plan.swarm();
    this.random = new Chance(~plan.seed());
    this.plant = plant;
    this.plantChance = new Chance(plan.seed());
    this.keys = IntStream.range(0, swarm.keys()).mapToObj(i -> "key" + i).toList();
    this.world = new World(isTold, this::thrown);
    this.checker =
        new Checker(
            world,
            servers,
            new Checker.Settings(
                swarm.longestHop(),
                swarm.tightTimeouts(),
                swarm.largestTtl(),
                swarm.servers(),
                swarm.servers() > 1 && swarm.isNew() && !swarm.isDeclared(),
                swarm.kind()),
            sometimes,
            tolerated);
    for (int i = 0; i < swarm.servers(); i++) {
      Server server = new Server(world, checker, "server" + (i + 1), random.rate(), random.split());
      if (plant == Plant.WRITES_ARE_LOST) {
        server.data().loseEach(20);
      }
      if (!swarm.isNew()) {
        server.age(LONG_AGO);
      } else if (!swarm.isDeclared()) {
        server.age(Math.max(0, swarm.largestTtl().toNanos() - random.duration(1, LONGEST_WAIT)));
      }
      servers.add(server);
    }
    for (int i = 0; i < swarm.places(); i++) {
      instances.add(start(i));
    }
  }

  private void thrown(Throwable e) {
    checker.thrown(e);
  }

  /** Runs a plan to its end, or to the first promise that is not kept. */
  static Outcome run(Plan plan, boolean isTold, Set<String> tolerated, Plant plant) {
    Fleet fleet = new Fleet(plan, isTold, tolerated, plant);
    fleet.run();
    return new Outcome(
        fleet.checker.violation(),
        fleet.checker.seen(),
        fleet.sometimes,
        fleet.commands(),
        fleet.faults,
        fleet.world);
  }

  /** The names of all rules that are looked at. */
  static List<String> ruleNames() {
    return new Fleet(Plan.of(1), false, Set.of(), Plant.NONE).checker.ruleNames();
  }

  private long commands() {
    return servers.stream().mapToLong(Server::commands).sum();
  }

  private Instance start(int place) {
    SimulatedProcess process =
        new SimulatedProcess(
            world, "p" + ++started, random.rate(), swarm.longestHop(), random.split());
    Swarm.Settings settings = random.pick(swarm.settings());
    List<Link> links = new ArrayList<>();
    List<LockStore> stores = new ArrayList<>();
    for (Server server : servers) {
      Link link = new Link(world, process, server, checker, swarm.speed(), random.split());
      links.add(link);
      SimulatedStore store = new SimulatedStore(link, swarm.abilities());
      stores.add(plant == Plant.NONE ? store : new PlantedStore(store, plant, plantChance));
    }
    ReactiveLocker locker =
        ReactiveLocker.builder(
                stores.size() == 1 ? stores.get(0) : quorum(stores, process, settings))
            .timer(process.timer())
            .publishOn(process.publishOn())
            .commandTimeout(settings.commandTimeout())
            .turn(settings.turn())
            .observer(
                new FleetObserver(sometimes, checker, swarm.observed(), swarm.observedSneakily()))
            .build();
    return new Instance(place, process, locker, new LockerSnapshot(locker, random.split()), links);
  }

  private LockStore quorum(
      List<LockStore> stores, SimulatedProcess process, Swarm.Settings settings) {
    sometimes.reached(State.QUORUM);
    QuorumLockStore.Builder builder =
        QuorumLockStore.builder(stores, swarm.largestTtl())
            .timer(process.timer())
            .memberTimeout(settings.commandTimeout().dividedBy(4));
    QuorumLockStore quorum = QuorumSnapshot.draw(builder, random.split()).build();
    if (beginsAt == 0 && swarm.isNew() && swarm.isDeclared()) {
      beginsAt = UNTIL_DECLARED;
      var unused = process.after(0, () -> quorum.declareNew().subscribe(any -> {}, e -> {}));
    }
    return quorum;
  }

  private void run() {
    tick();
    for (Plan.Work work : plan.work()) {
      Caller caller = new Caller(this, work.place(), work.steps());
      callers.add(caller);
      var unused = world.after(beginsAt + work.startsAt(), caller::goOn);
    }
    for (Plan.Trouble trouble : plan.troubles()) {
      var unused = world.after(beginsAt + trouble.time(), () -> apply(trouble));
    }
    while (world.now() < Plan.DURATION && commands() < MOST_COMMANDS && isRunning()) {
      world.runUntil(world.now() + SLICE);
    }
    over = true;
    long end = world.now();
    phase(() -> callers.forEach(Caller::finish), end + UNTIL_QUIET);
    phase(checker::whenQuiet, end + UNTIL_SETTLED);
    phase(
        () -> {
          checker.whenSettled();
          instances.forEach(this::close);
        },
        end + UNTIL_SETTLED + UNTIL_CLOSED);
    if (isRunning()) {
      checker.atEnd();
    }
  }

  private void tick() {
    checker.tick();
    world.inBackground(over ? 10 * TICK : TICK, this::tick);
  }

  private boolean isRunning() {
    return checker.violation() == null;
  }

  private void phase(Runnable action, long end) {
    if (isRunning()) {
      var unused = world.after(0, action);
      world.runUntil(end);
    }
  }

  private void apply(Plan.Trouble trouble) {
    faults++;
    trouble.fault().apply(this, new Chance(trouble.seed()));
  }

  private void close(Instance instance) {
    if (!instance.isClosing() && !instance.process().isDead()) {
      if (random.oneIn(2)) {
        Call last = call(Call.Kind.INSPECT, instance, null);
        Mono<Holder> asked = instance.locker().inspect(keys.get(0));
        Watch.mono(Mono.fromDirect(signals(last.kind(), asked, instance)), checker, () -> last)
            .subscribe(value -> {}, e -> {});
      }
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
  void giveBack(Handle handle) {
    if (!handle.instance().process().isDead()) {
      Watch.mono(
              handle.lock().release(),
              checker,
              () -> call(Call.Kind.RELEASE, handle.instance(), handle))
          .subscribe(value -> {}, e -> {});
    }
  }

  /** Ends a process without notice, and starts another one in its place. */
  void crash(Instance instance) {
    if (!instance.process().isDead()) {
      sometimes.reached(State.CRASHED);
      instance.process().kill();
      instance.links().forEach(Link::cut);
      replace(instance);
    }
  }

  /** Starts another process in its place, after a while. */
  void replace(Instance instance) {
    int place = instance.place();
    var unused =
        world.after(
            300_000_000,
            () -> {
              if (instances.get(place) == instance) {
                instances.set(place, start(place));
                callers.stream().filter(one -> one.place() == place).forEach(Caller::goOn);
              }
            });
  }

  /** The signals of a call as its subscriber gets them. */
  <T> Flux<T> signals(Call.Kind kind, Publisher<T> source, Instance instance) {
    return plant.signals(kind, Flux.from(source), plantChance, instance.process());
  }

  Swarm swarm() {
    return swarm;
  }

  World world() {
    return world;
  }

  Checker checker() {
    return checker;
  }

  Sometimes sometimes() {
    return sometimes;
  }

  List<Server> servers() {
    return servers;
  }

  /** The process that is at a place now. */
  Instance instance(int place) {
    return instances.get(place);
  }

  Instance anyInstance(Chance chance) {
    return chance.pick(instances);
  }

  List<String> keys() {
    return keys;
  }

  /** Whether nothing new is to be begun. */
  boolean isOver() {
    return over;
  }

  /** Remembers a handle for one who attaches to it. */
  void remember(Handle handle) {
    remembered.add(handle);
    if (remembered.size() > MOST_REMEMBERED) {
      remembered.remove(0);
    }
  }

  /** A handle that was given out lately, if there is one. */
  @Nullable Handle someHandle(Chance chance) {
    return remembered.isEmpty() ? null : chance.pick(remembered);
  }
}
