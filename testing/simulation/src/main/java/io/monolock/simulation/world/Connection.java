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
 * ordered against another connection. It is opened when it is first needed, and anew after a cut.
 */
final class Connection {

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

  /** Whether anything is still on its way. */
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
    if (state != State.CLOSED) {
      return;
    }
    state = State.OPENING;
    int opening = generation;
    long opened = link.isInstant() ? world.now() : link.arrival(true) + link.usual();
    link.process.arriveAt(opened, () -> opened(opening));
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
      return;
    }
    lastRequest = Math.max(lastRequest, link.arrival(true));
    world.at(lastRequest, null, () -> execute(call, sending));
  }

  private void execute(Call call, int sending) {
    if (sending != generation && !call.survives) {
      return;
    }
    Object answer;
    try {
      answer = link.server.execute(this, call.command);
    } catch (StoreFailure e) {
      answer = e;
    }
    call.executed = true;
    if (sending == generation) {
      answer(call, answer, sending);
    }
  }

  private void answer(Call call, @Nullable Object answer, int sending) {
    if (link.isInstant()) {
      end(call, answer, sending);
      return;
    }
    lastAnswer = Math.max(lastAnswer, link.arrival(false));
    link.process.arriveAt(lastAnswer, () -> end(call, answer, sending));
  }

  private void end(Call call, @Nullable Object answer, int sending) {
    if (sending != generation || call.over) {
      return;
    }
    call.over = true;
    unanswered.remove(call);
    answeredAt = world.now();
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
    if (state != State.OPEN) {
      return;
    }
    int pushing = generation;
    lastAnswer = Math.max(lastAnswer, link.arrival(false));
    link.process.arriveAt(
        lastAnswer,
        () -> {
          if (pushing == generation) {
            answeredAt = world.now();
            whenPushed.accept(key);
          }
        });
  }

  /** Ends it; what was sent may be carried out all the same, now or later, once or twice. */
  void cut() {
    generation++;
    state = State.CLOSED;
    List<Call> lost = List.copyOf(unanswered);
    List<Call> neverSent = List.copyOf(unsent);
    unanswered.clear();
    unsent.clear();
    lost.forEach(this::decideFate);
    link.process.arriveAt(
        world.now(),
        () -> {
          lost.forEach(call -> fail(call, Reason.UNKNOWN_OUTCOME));
          neverSent.forEach(call -> fail(call, Reason.UNAVAILABLE));
        });
  }

  private void decideFate(Call call) {
    int fate = link.random.nextInt(10);
    if (!call.executed && fate < 3) {
      call.survives = true;
    } else if (call.executed ? fate < 1 : fate < 5) {
      long delay = link.random.nextLong(LATEST_AFTER_A_CUT);
      var unused = world.after(delay, () -> executeLate(call));
    }
  }

  private void executeLate(Call call) {
    if (!link.server.isDown()) {
      world.story().add(world.now(), link.server.toString(), () -> "late: " + call.command);
      try {
        var unused = link.server.execute(this, call.command);
      } catch (StoreFailure e) {
        // nobody waits for it
      }
    }
  }

  private void fail(Call call, Reason reason) {
    if (!call.over) {
      call.over = true;
      call.sink.error(new StoreFailure(reason, true, this + " was cut", null));
    }
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
    return link.process + "-" + link.server + " " + name;
  }
}
