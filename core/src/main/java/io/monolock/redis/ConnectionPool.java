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
 * Some connections to a server, each used by one call at a time, as such a call blocks its
 * connection. A call that finds none free is queued. Cancelling a queued call removes it;
 * cancelling a later one only drops its answer.
 *
 * <p>Only one call of a holder is under way at a time: undoing the first must not undo the second.
 */
final class ConnectionPool {

  /** How many connections a server gets: so many grants can wait for replicas at the same time. */
  static final int COUNT = 8;

  private final ArrayDeque<Integer> free = new ArrayDeque<>(); // guarded by this
  private final ArrayDeque<PooledCall<?>> queue = new ArrayDeque<>(); // guarded by this
  private final Set<String> holders = new HashSet<>(); // guarded by this
  private final AtomicInteger unserved = new AtomicInteger();

  ConnectionPool() {
    for (int number = 0; number < COUNT; number++) {
      free.add(number);
    }
  }

  /**
   * Makes a call over a connection that no other call uses.
   *
   * @param holder the token; a second call of the same one waits for the first
   * @param action makes the call, given the number of the connection
   */
  <T> Mono<T> using(String holder, IntFunction<Mono<T>> action) {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> subscriber) {
        subscriber.onSubscribe(new PooledCall<>(ConnectionPool.this, holder, action, subscriber));
      }
    };
  }

  /**
   * Fails the calls that have been queued for about that long, as their callers have given up by
   * now.
   */
  void overdue(Duration timeout) {
    long latest = System.nanoTime() - timeout.minus(timeout.dividedBy(8)).toNanos();
    List<PooledCall<?>> late = new ArrayList<>();
    synchronized (this) {
      while (!queue.isEmpty() && queue.getFirst().since - latest <= 0) {
        late.add(queue.removeFirst());
      }
    }
    late.forEach(PooledCall::timeOut);
  }

  private void enqueue(PooledCall<?> call) {
    synchronized (this) {
      queue.add(call);
    }
    serve();
  }

  private synchronized void dequeue(PooledCall<?> call) {
    queue.remove(call);
  }

  private void giveBack(String holder, int number) {
    synchronized (this) {
      holders.remove(holder);
      // the one used last is most probably open
      free.addFirst(number);
    }
    serve();
  }

  /** Runs in one thread at a time and never nested, as a call that it begins may end at once. */
  private void serve() {
    if (unserved.getAndIncrement() > 0) {
      return;
    }
    int seen = 1;
    do {
      while (serveNext()) {}
      seen = unserved.addAndGet(-seen);
    } while (seen > 0);
  }

  private boolean serveNext() {
    PooledCall<?> next;
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

  /** The first queued call whose holder has none under way. */
  private @Nullable PooledCall<?> next() {
    for (Iterator<PooledCall<?>> calls = queue.iterator(); calls.hasNext(); ) {
      PooledCall<?> call = calls.next();
      if (holders.add(call.holder)) {
        calls.remove();
        return call;
      }
    }
    return null;
  }

  /** One call, from its request to its end. */
  private static final class PooledCall<T> implements Subscription, CoreSubscriber<T> {

    private enum State {
      NEW,
      QUEUED,
      UNDER_WAY,
      OVER
    }

    private final ConnectionPool pool;
    private final String holder;
    private final IntFunction<Mono<T>> action;
    private final CoreSubscriber<? super T> subscriber;
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private long since;
    private int number;
    private @Nullable T value;

    PooledCall(
        ConnectionPool pool,
        String holder,
        IntFunction<Mono<T>> action,
        CoreSubscriber<? super T> subscriber) {
      this.pool = pool;
      this.holder = holder;
      this.action = action;
      this.subscriber = subscriber;
    }

    @Override
    public void request(long n) {
      if (Operators.validate(n) && state.compareAndSet(State.NEW, State.QUEUED)) {
        since = System.nanoTime();
        pool.enqueue(this);
      }
    }

    @Override
    public void cancel() {
      if (state.getAndSet(State.OVER) == State.QUEUED) {
        pool.dequeue(this);
      }
    }

    void timeOut() {
      if (state.compareAndSet(State.QUEUED, State.OVER)) {
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
      if (!state.compareAndSet(State.QUEUED, State.UNDER_WAY)) {
        pool.giveBack(holder, number);
        return;
      }
      Mono<T> mono;
      try {
        mono = action.apply(number);
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
      pool.giveBack(holder, number);
      if (state.getAndSet(State.OVER) == State.UNDER_WAY) {
        subscriber.onError(e);
      }
    }

    @Override
    public void onComplete() {
      pool.giveBack(holder, number);
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
