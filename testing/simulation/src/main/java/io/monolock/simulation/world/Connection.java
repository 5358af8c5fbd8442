// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/**
 * One connection: requests arrive in the order in which they were sent, and so do answers, neither
 * ordered against another connection. It is opened when it is first needed, and anew after a cut. A
 * script that the server does not know is sent again, behind what was sent meanwhile.
 */
public final class Connection {

  private static final long LATEST_AFTER_A_CUT = 900_000_000;

  private enum State {
    CLOSED,
    OPENING,
    OPEN
  }

  /** A command, and what has become of it. */
  private static final class Call {
    final Command command;
    final MonoSink<Object> sink;
    long sentAt;
    boolean executed;
    boolean survives;
    boolean over;

    Call(Command command, MonoSink<Object> sink) {
      this.command = command;
      this.sink = sink;
    }
  }

  private final Link link;
  private final World world;
  private final String name;
  private final List<Call> unsent = new ArrayList<>();
  private final List<Call> unanswered = new ArrayList<>();
  private Runnable whenOpened = () -> {};
  private Consumer<String> whenPushed = key -> {};
  private State state = State.CLOSED;
  private int generation;
  private long lastRequest;
  private long lastAnswer;
  private long answeredAt;

  Connection(Link link, String name) {
    this.link = link;
    this.world = link.world;
    this.name = name;
    link.server.connect(this);
  }

  void listen(Runnable opened, Consumer<String> pushed) {
    whenOpened = opened;
    whenPushed = pushed;
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  /** Whether nothing is on its way. */
  boolean isIdle() {
    return unsent.isEmpty() && unanswered.isEmpty();
  }

  void send(Command command, MonoSink<Object> sink) {
    Call call = new Call(command, sink);
    if (isOpen()) {
      write(call);
    } else {
      unsent.add(call);
      open();
    }
  }

  void open() {
    if (state == State.CLOSED) {
      state = State.OPENING;
      int opening = generation;
      long opened = link.isInstant() ? world.now() : link.arrival(this, true) + link.usual();
      link.process.arriveAt(opened < 0 ? World.NEVER : opened, () -> opened(opening));
    }
  }

  private void opened(int opening) {
    if (opening != generation) {
      return;
    }
    if (link.refuses()) {
      cut();
      return;
    }
    state = State.OPEN;
    answeredAt = world.now();
    List<Call> toSend = List.copyOf(unsent);
    unsent.clear();
    toSend.forEach(this::write);
    whenOpened.run();
  }

  private void write(Call call) {
    call.sentAt = world.now();
    unanswered.add(call);
    int sending = generation;
    if (link.isInstant()) {
      execute(call, sending);
    } else {
      lastRequest = Math.max(lastRequest, link.arrival(this, true));
      world.plan(lastRequest, () -> 0, World.Role.NONE, () -> execute(call, sending));
    }
  }

  private void execute(Call call, int sending) {
    if (sending != generation && !call.survives) {
      return;
    }
    if (!link.server.knowsScript(call.command.kind())) {
      if (sending == generation) {
        answer(sending, () -> sendAgain(call));
      }
      return;
    }
    Object answer = executed(call);
    if (sending == generation) {
      answer(sending, () -> end(call, answer));
    }
  }

  private void sendAgain(Call call) {
    if (!call.over) {
      link.witness.sentAgain(call.command);
      unanswered.remove(call);
      write(call);
    }
  }

  private @Nullable Object executed(Call call) {
    call.executed = true;
    try {
      return link.server.execute(this, call.command);
    } catch (StoreFailure e) {
      return e;
    }
  }

  /** Lets something come back, unless the connection is cut meanwhile. */
  private void answer(int sending, Runnable arrived) {
    if (link.isInstant()) {
      arrived.run();
      return;
    }
    lastAnswer = Math.max(lastAnswer, link.arrival(this, false));
    link.process.arriveAt(
        lastAnswer,
        () -> {
          if (sending == generation) {
            answeredAt = world.now();
            arrived.run();
          }
        });
  }

  private void end(Call call, @Nullable Object answer) {
    if (call.over) {
      return;
    }
    call.over = true;
    unanswered.remove(call);
    if (answer instanceof StoreFailure failure) {
      call.sink.error(failure);
    } else if (answer == null) {
      call.sink.success();
    } else {
      call.sink.success(answer);
    }
  }

  /** A key has changed that was read over this connection. */
  void push(String key) {
    if (isOpen()) {
      int pushing = generation;
      lastAnswer = Math.max(lastAnswer, link.arrival(this, false));
      link.process.arriveAt(
          lastAnswer,
          () -> {
            if (pushing == generation) {
              answeredAt = world.now();
              whenPushed.accept(key);
            }
          });
    }
  }

  /** Ends it; what was sent may be carried out all the same, now or later, once or twice. */
  void cut() {
    List<Call> lost = List.copyOf(unanswered);
    List<Call> neverSent = List.copyOf(unsent);
    forget();
    lost.forEach(this::decideFate);
    link.process.arriveAt(
        world.now(),
        () -> {
          lost.forEach(call -> end(call, failure(Reason.UNKNOWN_OUTCOME)));
          neverSent.forEach(call -> end(call, failure(Reason.UNAVAILABLE)));
        });
  }

  /** Ends it without a word to its callers. */
  void forget() {
    generation++;
    state = State.CLOSED;
    unanswered.clear();
    unsent.clear();
  }

  private void decideFate(Call call) {
    int fate = link.random.nextInt(10);
    if (!call.executed && fate < 3) {
      call.survives = true;
    } else if (fate < (call.executed ? 1 : 5)) {
      var unused = world.after(link.random.nextLong(LATEST_AFTER_A_CUT), () -> executeLate(call));
    }
  }

  private void executeLate(Call call) {
    if (!link.server.isDown()) {
      world.tell(link.server, () -> "late: " + call.command);
      link.witness.late(call.command);
      var unused = executed(call);
    }
  }

  private StoreFailure failure(Reason reason) {
    return new StoreFailure(reason, true, this + " was cut", null);
  }

  /** Gives it up if it has answered nothing for that long though it was asked. */
  void overdue(long timeout) {
    if (isOpen()
        && !unanswered.isEmpty()
        && world.now() - unanswered.get(0).sentAt >= timeout
        && world.now() - answeredAt >= timeout) {
      cut();
    }
  }

  @Override
  public String toString() {
    return link + " " + name;
  }
}
