// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Server;
import io.monolock.simulation.world.SimulatedProcess;
import io.monolock.store.LockKeys;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Waiters that leave while the keys are held cost no commands, however many they are; those with a
 * token of the user's, who never stand in line, aside.
 */
final class FewCommands extends Rule {

  private static final long MOMENT = 1_000_000;
  private static final int MOST = 5;

  /** What happened to one line within a moment. */
  private static final class Moment {
    long begunAt;
    int asked;
    int left;
    int joined;

    void restart() {
      asked = 0;
      left = 0;
    }
  }

  private record Line(SimulatedProcess process, LockKeys keys) {}

  private final Map<Line, Moment> lines = new LinkedHashMap<>();

  FewCommands(Checker checker) {
    super(checker);
  }

  private Moment moment(SimulatedProcess process, LockKeys keys) {
    Moment moment = lines.computeIfAbsent(new Line(process, keys), any -> new Moment());
    if (checker.world.now() - moment.begunAt > MOMENT) {
      moment.begunAt = checker.world.now();
      moment.asked = 0;
      moment.left = 0;
      moment.joined = 0;
    }
    return moment;
  }

  @Override
  void asked(Call call) {
    if (call.wantsLock() || call.kind == Call.Kind.TRY_ACQUIRE) {
      moment(call.instance.process(), call.keys).joined++;
    }
  }

  @Override
  void ended(Call call) {
    if (call.wantsLock() && !call.hasLock() && !call.options.waitAtMost().isZero()) {
      moment(call.instance.process(), call.keys).left++;
    }
  }

  @Override
  void executed(Server server, Command command, @Nullable Object answer) {
    if (answer != null && command.kind() != Command.Kind.EXTEND) {
      // the keys may have changed hands, which is worth asking for
      if (isChange(command, answer)) {
        lines.values().forEach(Moment::restart);
      }
    }
  }

  /** Each waiter hears by itself that it may never have the keys. */
  @Override
  void denied(Command command) {
    lines.remove(new Line(command.process(), command.keys()));
  }

  private static boolean isChange(Command command, Object answer) {
    return switch (command.kind()) {
      case ACQUIRE -> answer instanceof io.monolock.store.Grant.Granted;
      case RELEASE, FORCE_RELEASE -> answer.equals(true);
      case TRANSFER -> true;
      default -> false;
    };
  }

  @Override
  void sent(Command command) {
    if (command.kind() == Command.Kind.ACQUIRE && !checker.facts(command.token()).isShared) {
      Moment moment = moment(command.process(), command.keys());
      moment.asked++;
      int servers = checker.servers.size();
      if (moment.asked > servers * (MOST + moment.joined) && moment.left >= MOST) {
        broken(
            "a herd of attempts of waiters that leave",
            command.keys().asList().get(0),
            moment.asked + " attempts while " + moment.left + " left " + command);
      }
    }
  }
}
