// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.DelegatingLockStore;
import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import io.monolock.store.Transfer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;

/**
 * A store that does what a test says: the next calls of an operation can fail, be lost on their way
 * or on their way back, or be held back until they are let through. All others go to a real store.
 */
public final class ScriptedStore extends DelegatingLockStore {

  public enum StoreOperation {
    ACQUIRE,
    EXTEND,
    RELEASE,
    TRANSFER,
    REMAINING,
    INSPECT,
    FORCE_RELEASE,
    CLOSE
  }

  /** What becomes of one call. */
  public interface CallOutcome {
    <T> Mono<T> of(Mono<T> call);
  }

  private final Map<StoreOperation, Queue<CallOutcome>> next = new EnumMap<>(StoreOperation.class);
  private final Map<StoreOperation, CallOutcome> always = new EnumMap<>(StoreOperation.class);
  private final List<StoreOperation> calls = new CopyOnWriteArrayList<>();
  private final Sinks.Many<LockKeys> wakeUps = Sinks.many().multicast().directBestEffort();
  private int wakeUpSubscribers; // guarded by this
  private final List<Duration> overdue = new CopyOnWriteArrayList<>();
  private final List<String> tokens = new CopyOnWriteArrayList<>();

  public ScriptedStore(LockStore store) {
    super(store);
  }

  /** What becomes of the next calls of this operation, in this order. */
  public synchronized ScriptedStore next(StoreOperation operation, CallOutcome... outcomes) {
    next.computeIfAbsent(operation, any -> new ArrayDeque<>()).addAll(List.of(outcomes));
    return this;
  }

  /** What becomes of the other calls of this operation. */
  public synchronized ScriptedStore always(StoreOperation operation, CallOutcome outcome) {
    always.put(operation, outcome);
    return this;
  }

  public synchronized ScriptedStore heal(StoreOperation operation) {
    always.remove(operation);
    next.remove(operation);
    return this;
  }

  public long count(StoreOperation operation) {
    return calls.stream().filter(operation::equals).count();
  }

  /** The tokens of all acquisitions so far, in the order of the calls. */
  public List<String> tokens() {
    return List.copyOf(tokens);
  }

  /** All calls so far, in the order of their subscription. */
  public List<StoreOperation> calls() {
    return List.copyOf(calls);
  }

  public static CallOutcome works() {
    return new CallOutcome() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call;
      }
    };
  }

  /** Fails and is not executed. */
  public static CallOutcome fails(StoreProblem.Reason reason, boolean isTransient) {
    return new CallOutcome() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.error(() -> new StoreFailure(reason, isTransient, reason + " by test", null));
      }
    };
  }

  /** Is executed, but fails with an unknown outcome, as when a connection breaks. */
  public static CallOutcome answerLost() {
    return executedButFails(StoreProblem.Reason.UNKNOWN_OUTCOME, true);
  }

  /** Is executed, but fails all the same. */
  public static CallOutcome executedButFails(StoreProblem.Reason reason, boolean isTransient) {
    return new CallOutcome() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call.then(fails(reason, isTransient).of(call));
      }
    };
  }

  /** Is neither executed nor answered, ever. */
  public static CallOutcome swallowed() {
    return new CallOutcome() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.never();
      }
    };
  }

  /** Answers this, whatever the store would say, which is not asked. */
  public static CallOutcome answers(Object answer) {
    return new CallOutcome() {
      @Override
      @SuppressWarnings("unchecked")
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.just((T) answer);
      }
    };
  }

  /** Fails with an unknown outcome, and is executed on its own some time later. */
  public static CallOutcome delayedOnABrokenConnection(Duration delay, Scheduler timer) {
    return new CallOutcome() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.defer(
            () -> {
              call.delaySubscription(delay, timer).subscribe();
              return answerLost().of(Mono.<T>empty());
            });
      }
    };
  }

  /** Is executed, and answers on the threads of this scheduler, as a driver's event loop does. */
  public static CallOutcome answersOn(Scheduler eventLoop) {
    return new CallOutcome() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call.publishOn(eventLoop);
      }
    };
  }

  /** Waits on its way to the store until it is let through. */
  public static final class HeldBack implements CallOutcome {
    private final Sinks.Empty<Void> gate = Sinks.empty();
    private final boolean executeFirst;

    private HeldBack(boolean executeFirst) {
      this.executeFirst = executeFirst;
    }

    /** Held before it is executed. */
    public static HeldBack call() {
      return new HeldBack(false);
    }

    /** Executed at once, its answer held. */
    public static HeldBack answer() {
      return new HeldBack(true);
    }

    public void letThrough() {
      gate.tryEmitEmpty();
    }

    @Override
    public <T> Mono<T> of(Mono<T> call) {
      return executeFirst ? call.delayUntil(any -> gate.asMono()) : gate.asMono().then(call);
    }
  }

  private <T> Mono<T> scripted(StoreOperation operation, Mono<T> real) {
    return Mono.defer(
        () -> {
          calls.add(operation);
          return outcome(operation).of(real);
        });
  }

  private synchronized CallOutcome outcome(StoreOperation operation) {
    CallOutcome scripted = next.getOrDefault(operation, new ArrayDeque<>()).poll();
    return scripted != null ? scripted : always.getOrDefault(operation, works());
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return scripted(StoreOperation.ACQUIRE, store.acquire(keys, token, metadata, ttl, fenced))
        .doOnSubscribe(subscription -> tokens.add(token));
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return scripted(StoreOperation.EXTEND, store.extend(keys, token, ttl));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return scripted(StoreOperation.RELEASE, store.release(keys, token, keepFor));
  }

  @Override
  public Mono<Transfer> transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    return scripted(StoreOperation.TRANSFER, store.transfer(keys, from, to, metadata, ttl, fenced));
  }

  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return wakeUps
        .asFlux()
        .filter(keys::equals)
        .doOnSubscribe(subscription -> subscribed(1))
        .doOnCancel(() -> subscribed(-1));
  }

  private synchronized void subscribed(int more) {
    wakeUpSubscribers += more;
  }

  /** How many subscribers there are to wake-ups. */
  public synchronized int wakeUpSubscribers() {
    return wakeUpSubscribers;
  }

  /** Signals that the key may be free. */
  public void wakeUp(String key) {
    wakeUps.tryEmitNext(LockKeys.of(key));
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return scripted(StoreOperation.REMAINING, store.remaining(keys, token));
  }

  @Override
  public Mono<Holder> inspect(String key) {
    return scripted(StoreOperation.INSPECT, store.inspect(key));
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return scripted(StoreOperation.FORCE_RELEASE, store.forceRelease(key));
  }

  /** The timeout of each report that a call had no answer in time. */
  public List<Duration> overdue() {
    return List.copyOf(overdue);
  }

  @Override
  public void overdue(Duration timeout) {
    overdue.add(timeout);
    store.overdue(timeout);
  }

  @Override
  public Mono<Void> close() {
    return scripted(StoreOperation.CLOSE, store.close());
  }
}
