// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.monolock.store.StoreFailure;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One run of a script on the server that has its keys. It is sent when its answer is requested, and
 * then never taken back: who cancels only does not hear the answer.
 *
 * @param <A> what the script answers
 * @param <T> what that means
 */
final class ScriptCall<A, T> extends Mono<T> {

  private final Route route;
  private final LuaScript script;
  private final ScriptOutputType type;
  private final String[] keys;
  private final String[] args;
  private final Function<? super A, ? extends @Nullable T> meaning;

  /**
   * @param meaning what an answer means, null for nothing
   */
  ScriptCall(
      Route route,
      LuaScript script,
      ScriptOutputType type,
      String[] keys,
      String[] args,
      Function<? super A, ? extends @Nullable T> meaning) {
    this.route = route;
    this.script = script;
    this.type = type;
    this.keys = keys;
    this.args = args;
    this.meaning = meaning;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> subscriber) {
    subscriber.onSubscribe(new Exchange<>(this, subscriber));
  }

  /** The way there and back, for one subscriber: first with the hash, then with the text. */
  private static final class Exchange<A, T> implements Subscription, CoreSubscriber<A> {

    private static final int NEW = 0;
    private static final int UNDER_WAY = 1;
    private static final int OVER = 2;

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<Exchange> STATE =
        AtomicIntegerFieldUpdater.newUpdater(Exchange.class, "state");

    private final ScriptCall<A, T> call;
    private final CoreSubscriber<? super T> subscriber;
    private volatile int state = NEW;
    private Route route;
    private @Nullable PipelinedConnection link;
    private boolean byText;
    private boolean answered;

    Exchange(ScriptCall<A, T> call, CoreSubscriber<? super T> subscriber) {
      this.call = call;
      this.route = call.route;
      this.subscriber = subscriber;
    }

    @Override
    public void request(long n) {
      if (Operators.validate(n) && STATE.compareAndSet(this, NEW, UNDER_WAY)) {
        begin(route);
      }
    }

    private void begin(Route route) {
      this.route = route;
      PipelinedConnection link = route.usable();
      if (link != null) {
        send(link);
      } else {
        CompletableFuture<?> unused = route.open().whenComplete(this::opened);
      }
    }

    @Override
    public void cancel() {
      state = OVER;
    }

    private void opened(@Nullable PipelinedConnection link, @Nullable Throwable e) {
      if (e != null) {
        Route other = route.afterOpening(e);
        if (other != null) {
          begin(other);
        } else {
          fail(ErrorMapping.ofConnecting(e));
        }
      } else if (link != null && state == UNDER_WAY) {
        send(link);
      }
    }

    private void send(PipelinedConnection link) {
      this.link = link;
      byText = false;
      route.precede(link);
      link.ask(call.script.byHash(link.commands, call.type, call.keys, call.args), this);
      if (!link.isOpen()) {
        // Lettuce may have taken it just after it had ended all others
        fail(ErrorMapping.ofCall(new RedisException("Connection closed")));
      }
    }

    private void sendText(PipelinedConnection link) {
      byText = true;
      route.precede(link);
      link.ask(call.script.byText(link.commands, call.type, call.keys, call.args), this);
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
    public void onNext(A answer) {
      answered = true;
      heard();
      succeed(answer);
    }

    @Override
    public void onError(Throwable e) {
      heard();
      PipelinedConnection link = this.link;
      if (!byText && link != null && e instanceof RedisNoScriptException) {
        sendText(link);
        return;
      }
      Route other = link == null ? null : route.after(link, e);
      if (other != null) {
        begin(other);
      } else {
        fail(ErrorMapping.ofCall(e));
      }
    }

    @Override
    public void onComplete() {
      if (!answered) {
        onError(new NoSuchElementException());
      }
    }

    private void heard() {
      PipelinedConnection link = this.link;
      if (link != null) {
        link.heard();
      }
    }

    private void succeed(A answer) {
      if (STATE.getAndSet(this, OVER) == UNDER_WAY) {
        T result = call.meaning.apply(answer);
        if (result != null) {
          subscriber.onNext(result);
        }
        subscriber.onComplete();
      }
    }

    private void fail(StoreFailure failure) {
      if (STATE.getAndSet(this, OVER) == UNDER_WAY) {
        subscriber.onError(failure);
      }
    }
  }
}
