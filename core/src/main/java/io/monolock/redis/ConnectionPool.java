// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Some connections to a server that are used by one at a time, as what they are used for keeps them
 * from being answered. Who finds none free waits in line; who cancels before it was its turn leaves
 * the line, and later is only not told how it ends.
 *
 * <p>Nor are two of one holder under way at a time: what ends the first one must not undo the
 * second one.
 */
final class ConnectionPool {

  /** How many there are of one server: that many grants can wait for replicas at the same time. */
  static final int COUNT = 8;

  private final ArrayDeque<Integer> free = new ArrayDeque<>(); // guarded by this
  private final ArrayDeque<Turn<?>> line = new ArrayDeque<>(); // guarded by this
  private final Set<String> holders = new HashSet<>(); // guarded by this
  private final AtomicInteger toServe = new AtomicInteger();

  ConnectionPool() {
    for (int number = 0; number < COUNT; number++) {
      free.add(number);
    }
  }

  /**
   * Makes a call over a connection that nobody else uses.
   *
   * @param holder of whom there is one call under way at most
   * @param call what to do, given the number of the connection
   */
  <T> Mono<T> using(String holder, IntFunction<Mono<T>> call) {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> subscriber) {
        subscriber.onSubscribe(new Turn<>(ConnectionPool.this, holder, call, subscriber));
      }
    };
  }

  /** Ends those who have stood in line for about that long, as nobody waits for them any more. */
  void overdue(Duration timeout) {
    long latest = System.nanoTime() - timeout.minus(timeout.dividedBy(8)).toNanos();
    List<Turn<?>> ended = new ArrayList<>();
    synchronized (this) {
      while (!line.isEmpty() && line.getFirst().since - latest <= 0) {
        ended.add(line.removeFirst());
      }
    }
    ended.forEach(Turn::tooLate);
  }

  private void enter(Turn<?> turn) {
    synchronized (this) {
      line.add(turn);
    }
    serve();
  }

  private synchronized void leave(Turn<?> turn) {
    line.remove(turn);
  }

  private void back(String holder, int number) {
    synchronized (this) {
      holders.remove(holder);
      // the one that was used last is open most probably
      free.addFirst(number);
    }
    serve();
  }

  /** In one thread at a time, and not from within a call that it begins, which may end at once. */
  private void serve() {
    if (toServe.getAndIncrement() > 0) {
      return;
    }
    int seen = 1;
    do {
      while (serveNext()) {}
      seen = toServe.addAndGet(-seen);
    } while (seen > 0);
  }

  private boolean serveNext() {
    Turn<?> next;
    int number;
    synchronized (this) {
      next = free.isEmpty() ? null : next();
      if (next == null) {
        return false;
      }
      number = free.removeFirst();
    }
    next.begin(number);
    return true;
  }

  /** The first one whose holder has nothing under way. */
  private @Nullable Turn<?> next() {
    for (Iterator<Turn<?>> turns = line.iterator(); turns.hasNext(); ) {
      Turn<?> turn = turns.next();
      if (holders.add(turn.holder)) {
        turns.remove();
        return turn;
      }
    }
    return null;
  }

  /** One call, from when it is asked for until it has ended. */
  private static final class Turn<T> implements Subscription, CoreSubscriber<T> {

    private enum State {
      NEW,
      IN_LINE,
      UNDER_WAY,
      OVER
    }

    private final ConnectionPool connections;
    private final String holder;
    private final IntFunction<Mono<T>> call;
    private final CoreSubscriber<? super T> subscriber;
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private long since;
    private int number;
    private @Nullable T value;

    Turn(
        ConnectionPool connections,
        String holder,
        IntFunction<Mono<T>> call,
        CoreSubscriber<? super T> subscriber) {
      this.connections = connections;
      this.holder = holder;
      this.call = call;
      this.subscriber = subscriber;
    }

    @Override
    public void request(long n) {
      if (Operators.validate(n) && state.compareAndSet(State.NEW, State.IN_LINE)) {
        since = System.nanoTime();
        connections.enter(this);
      }
    }

    @Override
    public void cancel() {
      if (state.getAndSet(State.OVER) == State.IN_LINE) {
        connections.leave(this);
      }
    }

    void tooLate() {
      if (state.compareAndSet(State.IN_LINE, State.OVER)) {
        subscriber.onError(
            new StoreFailure(
                StoreProblem.Reason.UNAVAILABLE,
                true,
                "Nothing was sent, as all %d connections for grants wait for replicas"
                    .formatted(COUNT),
                null));
      }
    }

    void begin(int number) {
      this.number = number;
      if (!state.compareAndSet(State.IN_LINE, State.UNDER_WAY)) {
        connections.back(holder, number);
        return;
      }
      Mono<T> mono;
      try {
        mono = call.apply(number);
      } catch (RuntimeException e) {
        mono = Mono.error(e);
      }
      mono.subscribe(this);
    }

    @Override
    public Context currentContext() {
      return subscriber.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(T answer) {
      value = answer;
    }

    @Override
    public void onError(Throwable e) {
      connections.back(holder, number);
      if (state.getAndSet(State.OVER) == State.UNDER_WAY) {
        subscriber.onError(e);
      }
    }

    @Override
    public void onComplete() {
      connections.back(holder, number);
      T answer = value;
      if (state.getAndSet(State.OVER) == State.UNDER_WAY) {
        if (answer != null) {
          subscriber.onNext(answer);
        }
        subscriber.onComplete();
      }
    }
  }
}
