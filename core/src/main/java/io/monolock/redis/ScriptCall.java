// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.monolock.store.StoreFailure;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One run of a script on the server that has its keys. It is sent when its answer is requested, and
 * takes effect even if the subscriber cancels afterwards, who only does not get the answer.
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
  private final BiFunction<? super A, PipelinedConnection, ? extends @Nullable T> meaning;

  /**
   * @param meaning what an answer means that came over this connection, null for nothing
   */
  ScriptCall(
      Route route,
      LuaScript script,
      ScriptOutputType type,
      String[] keys,
      String[] args,
      BiFunction<? super A, PipelinedConnection, ? extends @Nullable T> meaning) {
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

  /**
   * The call of one subscriber: first by the hash of the script, then by its text if the server
   * does not know it.
   */
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
    private @Nullable PipelinedConnection connection;
    private boolean byText;
    private boolean hasAnswer;
    private long since;

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
      PipelinedConnection connection = route.usable();
      if (connection != null) {
        send(connection);
      } else {
        since = since == 0 ? System.nanoTime() : since;
        route.open(since, this::opened);
      }
    }

    @Override
    public void cancel() {
      state = OVER;
    }

    private void opened(@Nullable PipelinedConnection connection, @Nullable Throwable e) {
      if (e != null) {
        // our own failures say that the caller has given up, or that the store is closed
        Route other = e instanceof StoreFailure ? null : route.afterOpening(e);
        if (other != null) {
          begin(other);
        } else {
          fail(ErrorMapping.ofConnecting(e));
        }
      } else if (connection != null && state == UNDER_WAY) {
        send(connection);
      }
    }

    private void send(PipelinedConnection connection) {
      this.connection = connection;
      byText = false;
      route.precede(connection);
      connection.ask(
          call.script.byHash(connection.commands, call.type, call.keys, call.args), this);
      if (!connection.isOpen()) {
        // Lettuce may have accepted the command just after it had failed all others
        fail(ErrorMapping.ofCall(new RedisException("Connection closed")));
      }
    }

    private void sendText(PipelinedConnection connection) {
      byText = true;
      route.precede(connection);
      connection.ask(
          call.script.byText(connection.commands, call.type, call.keys, call.args), this);
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
      hasAnswer = true;
      PipelinedConnection connection =
          Objects.requireNonNull(this.connection, "what was answered was sent");
      connection.answered();
      if (STATE.getAndSet(this, OVER) == UNDER_WAY) {
        T result = call.meaning.apply(answer, connection);
        if (result != null) {
          subscriber.onNext(result);
        }
        subscriber.onComplete();
      }
    }

    @Override
    public void onError(Throwable e) {
      PipelinedConnection connection =
          Objects.requireNonNull(this.connection, "what has failed was sent");
      connection.answered();
      if (!byText && e instanceof RedisNoScriptException) {
        sendText(connection);
        return;
      }
      Route other = route.after(connection, e);
      if (other != null) {
        begin(other);
      } else {
        fail(ErrorMapping.ofScript(e, call.keys, call.args));
      }
    }

    @Override
    public void onComplete() {
      if (!hasAnswer) {
        onError(new NoSuchElementException());
      }
    }

    private void fail(StoreFailure failure) {
      if (STATE.getAndSet(this, OVER) == UNDER_WAY) {
        subscriber.onError(failure);
      }
    }
  }
}
