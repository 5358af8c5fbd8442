// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.reactor.KeyQueue.KeyedElement;
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
 * key. Here all results stand in one queue, and the next element of a key begins only when the end
 * of the one before has left that queue, so the results of one key keep their order.
 *
 * <h2>How much is in memory</h2>
 *
 * <p>The source is asked for one more element whenever one has ended; each piece of work for one
 * more result whenever one was passed on.
 */
final class LockEach<T, R> extends FluxOperator<T, R> {

  /** How many results of one element may wait to be requested. */
  private static final int RESULTS = 32;

  /** How many elements may wait for others of their key, unless more may be in work. */
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

    private final CoreSubscriber<? super R> actual;
    private final KeyQueue<T> queue = new KeyQueue<>(concurrency, this::begin);
    private final Set<ElementSubscriber> active = ConcurrentHashMap.newKeySet();
    private final Queue<WorkSignal> signals = new ConcurrentLinkedQueue<>();

    /** Above zero while a thread drains; it goes on until it has seen all calls of drain. */
    private final AtomicInteger missed = new AtomicInteger();

    private final AtomicLong requested = new AtomicLong();
    private final AtomicInteger unfinished = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> error = new AtomicReference<>();
    private volatile boolean sourceEnded;
    private volatile boolean ended;
    private volatile @Nullable Subscription source;

    Main(CoreSubscriber<? super R> actual) {
      this.actual = actual;
    }

    @Override
    public Context currentContext() {
      return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      source = subscription;
      actual.onSubscribe(this);
      subscription.request(concurrency + Math.max(concurrency, WAITING));
    }

    @Override
    public void onNext(T element) {
      KeyedElement<T> keyed;
      try {
        keyed = new KeyedElement<>(keyOf.apply(element), element);
      } catch (
          Throwable e) { // also a fatal one, or the locks of other elements would be kept for ever
        Operators.onDiscard(element, currentContext());
        onError(e);
        return;
      }
      unfinished.incrementAndGet();
      queue.add(keyed);
      if (ended) {
        stop();
      }
    }

    @Override
    public void onError(Throwable e) {
      if (ended || !error.compareAndSet(null, e)) {
        Operators.onErrorDropped(e, currentContext());
        return;
      }
      drain();
    }

    @Override
    public void onComplete() {
      sourceEnded = true;
      drain();
    }

    private void begin(KeyedElement<T> keyed) {
      ElementSubscriber subscriber = new ElementSubscriber(keyed);
      active.add(subscriber);
      if (ended) {
        stop();
        Operators.onDiscard(keyed.element(), currentContext());
      } else {
        work.apply(keyed.key(), keyed.element()).subscribe(subscriber);
      }
    }

    private void drain() {
      if (missed.getAndIncrement() != 0) {
        return;
      }
      int passedOn = 1;
      do {
        drainAll();
        passedOn = missed.addAndGet(-passedOn);
      } while (passedOn != 0);
    }

    private void drainAll() {
      while (!ended) {
        Throwable error = this.error.get();
        WorkSignal next = signals.peek();
        if (error != null) {
          terminate();
          actual.onError(error);
        } else if (next == null) {
          if (!sourceEnded || unfinished.get() > 0) {
            return;
          }
          ended = true;
          actual.onComplete();
        } else if (next.result == null) {
          signals.remove();
          finished(next.from);
        } else if (requested.get() > 0) {
          signals.remove();
          emit(next.from, next.result);
        } else {
          return;
        }
      }
      discard();
    }

    private void emit(ElementSubscriber from, R result) {
      if (requested.get() != Long.MAX_VALUE) {
        requested.decrementAndGet();
      }
      actual.onNext(result);
      from.request(1);
    }

    /** The next element of the key begins, and the source may send one more. */
    private void finished(ElementSubscriber subscriber) {
      active.remove(subscriber);
      unfinished.decrementAndGet();
      queue.finished(subscriber.keyed);
      Subscription source = this.source;
      if (source != null) {
        source.request(1);
      }
    }

    @Override
    public void request(long n) {
      if (Operators.validate(n)) {
        requested.accumulateAndGet(n, Operators::addCap);
        drain();
      }
    }

    @Override
    public void cancel() {
      if (!ended) {
        terminate();
        drain();
      }
    }

    private void terminate() {
      ended = true;
      Subscription source = this.source;
      if (source != null) {
        source.cancel();
      }
      stop();
    }

    /** Called again for an element that arrives while all is being stopped. */
    private void stop() {
      active.forEach(BaseSubscriber::cancel);
      queue.close().forEach(element -> Operators.onDiscard(element, currentContext()));
    }

    private void discard() {
      for (WorkSignal dropped = signals.poll(); dropped != null; dropped = signals.poll()) {
        Operators.onDiscard(dropped.result, currentContext());
      }
    }

    /** A result of an element's work, or without one its end. */
    private final class WorkSignal {
      private final ElementSubscriber from;
      private final @Nullable R result;

      WorkSignal(ElementSubscriber from, @Nullable R result) {
        this.from = from;
        this.result = result;
      }
    }

    /** The work for one element. */
    private final class ElementSubscriber extends BaseSubscriber<R> {

      private final KeyedElement<T> keyed;

      ElementSubscriber(KeyedElement<T> keyed) {
        this.keyed = keyed;
      }

      @Override
      public Context currentContext() {
        return actual.currentContext();
      }

      @Override
      protected void hookOnSubscribe(Subscription subscription) {
        request(RESULTS);
      }

      @Override
      protected void hookOnNext(R result) {
        signals.add(new WorkSignal(this, result));
        drain();
      }

      @Override
      protected void hookOnComplete() {
        signals.add(new WorkSignal(this, null));
        drain();
      }

      @Override
      protected void hookOnError(Throwable e) {
        Main.this.onError(e);
      }
    }
  }
}
