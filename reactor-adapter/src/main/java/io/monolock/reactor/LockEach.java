// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.reactor.KeyQueue.Turn;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Work for each element, of one key one after the other, of different keys at the same time.
 *
 * <h2>Why an operator of our own</h2>
 *
 * <p>{@code groupBy} stands still when there are more keys than it has room for groups, and {@code
 * flatMap} passes on the results of its sources in any order, also those of two elements of one
 * key. Here all results stand in one queue, and an element's turn ends only when what it said last
 * has left that queue, so the results of one key keep their order.
 *
 * <h2>How much is in memory</h2>
 *
 * <p>The source is asked for one more element whenever one has ended; each piece of work for one
 * more result whenever one was passed on.
 */
final class LockEach<T, R> extends FluxOperator<T, R> {

  /** How many results of one element may wait to be requested. */
  private static final int RESULTS = 32;

  /** How many elements may wait for their turn, unless more may be in work. */
  private static final int WAITING = 32;

  private final Function<? super T, String> keyOf;
  private final BiFunction<String, T, Flux<R>> work;
  private final int concurrency;

  LockEach(
      Flux<T> source,
      Function<? super T, String> keyOf,
      BiFunction<String, T, Flux<R>> work,
      int concurrency) {
    super(source);
    this.keyOf = keyOf;
    this.work = work;
    this.concurrency = concurrency;
  }

  @Override
  public void subscribe(CoreSubscriber<? super R> subscriber) {
    source.subscribe(new Main(subscriber));
  }

  /** One subscription: takes elements in, and passes results on, one at a time. */
  private final class Main implements CoreSubscriber<T>, Subscription {

    private final CoreSubscriber<? super R> subscriber;
    private final KeyQueue<T> turns = new KeyQueue<>(concurrency, this::begin);
    private final Set<Worker> workers = ConcurrentHashMap.newKeySet();
    private final Queue<News> news = new ConcurrentLinkedQueue<>();

    /** Counts news, so that one thread at a time passes them on. */
    private final AtomicInteger untold = new AtomicInteger();

    private final AtomicLong requested = new AtomicLong();
    private final AtomicInteger inHand = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> problem = new AtomicReference<>();
    private volatile boolean sourceEnded;
    private volatile boolean over;
    private volatile @Nullable Subscription source;

    Main(CoreSubscriber<? super R> subscriber) {
      this.subscriber = subscriber;
    }

    @Override
    public Context currentContext() {
      return subscriber.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      source = subscription;
      subscriber.onSubscribe(this);
      subscription.request(concurrency + Math.max(concurrency, WAITING));
    }

    @Override
    public void onNext(T element) {
      Turn<T> turn;
      try {
        turn = new Turn<>(keyOf.apply(element), element);
      } catch (Throwable e) { // also a fatal one, or the locks of others would be kept for ever
        Operators.onDiscard(element, currentContext());
        onError(e);
        return;
      }
      inHand.incrementAndGet();
      turns.come(turn);
      if (over) {
        stop();
      }
    }

    @Override
    public void onError(Throwable e) {
      if (over || !problem.compareAndSet(null, e)) {
        Operators.onErrorDropped(e, currentContext());
        return;
      }
      passOn();
    }

    @Override
    public void onComplete() {
      sourceEnded = true;
      passOn();
    }

    private void begin(Turn<T> turn) {
      Worker worker = new Worker(turn);
      workers.add(worker);
      if (over) {
        stop();
        Operators.onDiscard(turn.element(), currentContext());
      } else {
        work.apply(turn.key(), turn.element()).subscribe(worker);
      }
    }

    private void passOn() {
      if (untold.getAndIncrement() != 0) {
        return;
      }
      int told = 1;
      do {
        passOnAllThereIs();
        told = untold.addAndGet(-told);
      } while (told != 0);
    }

    private void passOnAllThereIs() {
      while (!over) {
        Throwable problem = this.problem.get();
        News next = news.peek();
        if (problem != null) {
          finish();
          subscriber.onError(problem);
        } else if (next == null) {
          if (!sourceEnded || inHand.get() > 0) {
            return;
          }
          over = true;
          subscriber.onComplete();
        } else if (next.result == null) {
          news.remove();
          ended(next.from);
        } else if (requested.get() > 0) {
          news.remove();
          passOn(next.from, next.result);
        } else {
          return;
        }
      }
      discard();
    }

    private void passOn(Worker from, R result) {
      if (requested.get() != Long.MAX_VALUE) {
        requested.decrementAndGet();
      }
      subscriber.onNext(result);
      from.request(1);
    }

    /** The next one of the key begins, and the source may send one more. */
    private void ended(Worker worker) {
      workers.remove(worker);
      inHand.decrementAndGet();
      turns.end(worker.turn);
      Subscription source = this.source;
      if (source != null) {
        source.request(1);
      }
    }

    @Override
    public void request(long n) {
      if (Operators.validate(n)) {
        requested.accumulateAndGet(n, Operators::addCap);
        passOn();
      }
    }

    @Override
    public void cancel() {
      if (!over) {
        finish();
        passOn();
      }
    }

    private void finish() {
      over = true;
      Subscription source = this.source;
      if (source != null) {
        source.cancel();
      }
      stop();
    }

    /** Also for who comes while all is being stopped. */
    private void stop() {
      workers.forEach(BaseSubscriber::cancel);
      turns.close().forEach(element -> Operators.onDiscard(element, currentContext()));
    }

    private void discard() {
      for (News left = news.poll(); left != null; left = news.poll()) {
        Operators.onDiscard(left.result, currentContext());
      }
    }

    /** A result, or with none of them the end of an element's work. */
    private final class News {
      private final Worker from;
      private final @Nullable R result;

      News(Worker from, @Nullable R result) {
        this.from = from;
        this.result = result;
      }
    }

    /** The work for one element. */
    private final class Worker extends BaseSubscriber<R> {

      private final Turn<T> turn;

      Worker(Turn<T> turn) {
        this.turn = turn;
      }

      @Override
      public Context currentContext() {
        return subscriber.currentContext();
      }

      @Override
      protected void hookOnSubscribe(Subscription subscription) {
        request(RESULTS);
      }

      @Override
      protected void hookOnNext(R result) {
        news.add(new News(this, result));
        passOn();
      }

      @Override
      protected void hookOnComplete() {
        news.add(new News(this, null));
        passOn();
      }

      @Override
      protected void hookOnError(Throwable e) {
        Main.this.onError(e);
      }
    }
  }
}
