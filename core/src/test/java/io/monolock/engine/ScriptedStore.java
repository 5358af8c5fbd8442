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
 * A store that does what a test says: the next calls of a kind can fail, be lost on their way or on
 * their way back, or be held until they are let through. All others go to a real store.
 */
public final class ScriptedStore extends DelegatingLockStore {

  public enum Call {
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
  public interface Fate {
    <T> Mono<T> of(Mono<T> call);
  }

  private final Map<Call, Queue<Fate>> next = new EnumMap<>(Call.class);
  private final Map<Call, Fate> always = new EnumMap<>(Call.class);
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final Sinks.Many<LockKeys> wakeUps = Sinks.many().multicast().directBestEffort();
  private int listeners; // guarded by this
  private final List<Duration> overdue = new CopyOnWriteArrayList<>();
  private final List<String> tokens = new CopyOnWriteArrayList<>();

  public ScriptedStore(LockStore store) {
    super(store);
  }

  /** What becomes of the next calls of this kind, in this order. */
  public synchronized ScriptedStore next(Call call, Fate... fates) {
    next.computeIfAbsent(call, any -> new ArrayDeque<>()).addAll(List.of(fates));
    return this;
  }

  /** What becomes of all calls of this kind that {@link #next} does not speak of. */
  public synchronized ScriptedStore always(Call call, Fate fate) {
    always.put(call, fate);
    return this;
  }

  public synchronized ScriptedStore heal(Call call) {
    always.remove(call);
    next.remove(call);
    return this;
  }

  public long count(Call call) {
    return calls.stream().filter(call::equals).count();
  }

  /** The tokens of all acquisitions so far, in the order of the calls. */
  public List<String> tokens() {
    return List.copyOf(tokens);
  }

  /** All calls so far, in the order of their subscription. */
  public List<Call> calls() {
    return List.copyOf(calls);
  }

  public static Fate works() {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call;
      }
    };
  }

  /** Fails and is not executed. */
  public static Fate fails(StoreProblem.Reason reason, boolean isTransient) {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.error(() -> new StoreFailure(reason, isTransient, reason + " by test", null));
      }
    };
  }

  /** Is executed, but fails with an unknown outcome, as when a connection breaks. */
  public static Fate answerLost() {
    return executedButFails(StoreProblem.Reason.UNKNOWN_OUTCOME, true);
  }

  /** Is executed, but fails all the same. */
  public static Fate executedButFails(StoreProblem.Reason reason, boolean isTransient) {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call.then(fails(reason, isTransient).of(call));
      }
    };
  }

  /** Is neither executed nor answered, ever. */
  public static Fate swallowed() {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.never();
      }
    };
  }

  /** Answers this, whatever the store would say, which is not asked. */
  public static Fate answers(Object answer) {
    return new Fate() {
      @Override
      @SuppressWarnings("unchecked")
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.just((T) answer);
      }
    };
  }

  /** Fails with an unknown outcome, and is executed on its own some time later. */
  public static Fate delayedOnABrokenConnection(Duration delay, Scheduler timer) {
    return new Fate() {
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
  public static Fate answersOn(Scheduler eventLoop) {
    return new Fate() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call.publishOn(eventLoop);
      }
    };
  }

  /** Waits on its way to the store until it is let through. */
  public static final class Held implements Fate {
    private final Sinks.Empty<Void> gate = Sinks.empty();
    private final boolean executeFirst;

    private Held(boolean executeFirst) {
      this.executeFirst = executeFirst;
    }

    /** Held before it is executed. */
    public static Held call() {
      return new Held(false);
    }

    /** Executed at once, its answer held. */
    public static Held answer() {
      return new Held(true);
    }

    public void letThrough() {
      gate.tryEmitEmpty();
    }

    @Override
    public <T> Mono<T> of(Mono<T> call) {
      return executeFirst ? call.delayUntil(any -> gate.asMono()) : gate.asMono().then(call);
    }
  }

  private <T> Mono<T> scripted(Call call, Mono<T> real) {
    return Mono.defer(
        () -> {
          calls.add(call);
          return fate(call).of(real);
        });
  }

  private synchronized Fate fate(Call call) {
    Fate scripted = next.getOrDefault(call, new ArrayDeque<>()).poll();
    return scripted != null ? scripted : always.getOrDefault(call, works());
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return scripted(Call.ACQUIRE, store.acquire(keys, token, metadata, ttl, fenced))
        .doOnSubscribe(subscription -> tokens.add(token));
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return scripted(Call.EXTEND, store.extend(keys, token, ttl));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return scripted(Call.RELEASE, store.release(keys, token, keepFor));
  }

  @Override
  public Mono<Transfer> transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    return scripted(Call.TRANSFER, store.transfer(keys, from, to, metadata, ttl, fenced));
  }

  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return wakeUps
        .asFlux()
        .filter(keys::equals)
        .doOnSubscribe(subscription -> listens(1))
        .doOnCancel(() -> listens(-1));
  }

  private synchronized void listens(int more) {
    listeners += more;
  }

  /** How many listen to hints. */
  public synchronized int listeners() {
    return listeners;
  }

  /** Hints that the key may be free. */
  public void hint(String key) {
    wakeUps.tryEmitNext(LockKeys.of(key));
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return scripted(Call.REMAINING, store.remaining(keys, token));
  }

  @Override
  public Mono<Holder> inspect(String key) {
    return scripted(Call.INSPECT, store.inspect(key));
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return scripted(Call.FORCE_RELEASE, store.forceRelease(key));
  }

  /** The timeout that was at an end, each time that the engine has waited in vain. */
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
    return scripted(Call.CLOSE, store.close());
  }
}
