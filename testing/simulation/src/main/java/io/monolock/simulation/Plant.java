// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.simulation.check.Call;
import io.monolock.simulation.world.Server;
import io.monolock.store.Grant;
import io.monolock.store.Incarnation;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.OptionalLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A fault that is planted between the library and its world, to see that the rule finds it that is
 * there for it.
 */
public enum Plant {
  /** None. */
  NONE("-"),

  /** A store grants keys that are held. */
  BUSY_IS_GRANTED("Exclusion") {
    @Override
    LockStore in(LockStore store, Chance chance) {
      return new ForwardingStore(store) {
        @Override
        public Mono<Grant> acquire(
            LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
          return super.acquire(keys, token, metadata, ttl, fenced)
              .map(grant -> grant instanceof Grant.Busy && !fenced ? fresh() : grant);
        }
      };
    }
  },

  /** Members of a quorum do not tell that they have forgotten. */
  MEMBERS_ALWAYS_VOTE("Exclusion") {
    @Override
    LockStore in(LockStore store, Chance chance) {
      return new ForwardingStore(store) {
        @Override
        public Mono<Incarnation> incarnation() {
          return Mono.empty();
        }
      };
    }
  },

  /** A key is freed by what prolongs it. */
  EXTENDED_IS_FREED("Backed") {
    @Override
    LockStore in(LockStore store, Chance chance) {
      return new ForwardingStore(store) {
        @Override
        public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
          return super.extend(keys, token, ttl)
              .flatMap(ours -> super.forceRelease(keys.asList().get(0)).thenReturn(ours));
        }
      };
    }
  },

  /** Fencing numbers fall back. */
  NUMBERS_FALL("Fencing") {
    @Override
    LockStore in(LockStore store, Chance chance) {
      return new ForwardingStore(store) {
        @Override
        public Mono<Grant> acquire(
            LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
          return super.acquire(keys, token, metadata, ttl, fenced)
              .map(grant -> chance.oneIn(5) ? lower(grant) : grant);
        }
      };
    }
  },

  /** A lock is prolonged once more after its release. */
  EXTENDED_AFTER_RELEASE("OwnerOnly") {
    @Override
    LockStore in(LockStore store, Chance chance) {
      return new ForwardingStore(store) {
        @Override
        public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
          return super.release(keys, token, keepFor)
              .flatMap(ours -> super.extend(keys, token, SHORT).thenReturn(ours));
        }
      };
    }
  },

  /** A server loses a write now and then. */
  WRITES_ARE_LOST("AllOrNothing") {
    @Override
    void in(Server server) {
      server.data().loseEach(20);
    }
  },

  /** A lock that is to be kept is freed. */
  KEPT_IS_FREED("HoldAtLeast") {
    @Override
    LockStore in(LockStore store, Chance chance) {
      return new ForwardingStore(store) {
        @Override
        public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
          return super.release(keys, token, Duration.ZERO);
        }
      };
    }
  },

  /** A release says that it freed nothing. */
  RELEASED_IS_DENIED("TruthfulRelease") {
    @Override
    LockStore in(LockStore store, Chance chance) {
      return new ForwardingStore(store) {
        @Override
        public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
          return super.release(keys, token, keepFor).thenReturn(false);
        }
      };
    }
  },

  /** Who keeps a lock alive is not told of its loss. */
  LOSS_IS_KEPT_SECRET("ToldInTime") {
    @Override
    <T> Flux<T> in(Call.Kind kind, Flux<T> source, Chance chance, Instance instance) {
      return kind == Call.Kind.KEEP_ALIVE ? source.onErrorResume(e -> Mono.never()) : source;
    }
  },

  /** The result of a body is dropped. */
  RESULT_IS_DROPPED("ResultOfTheBody") {
    @Override
    <T> Flux<T> in(Call.Kind kind, Flux<T> source, Chance chance, Instance instance) {
      return kind == Call.Kind.SCOPE ? source.filter(value -> !chance.oneIn(4)) : source;
    }
  },

  /** A subscriber is not told of an end. */
  END_IS_KEPT_SECRET("OneSignal") {
    @Override
    <T> Flux<T> in(Call.Kind kind, Flux<T> source, Chance chance, Instance instance) {
      return kind == Call.Kind.INSPECT || kind == Call.Kind.TTL
          ? source.concatWith(Mono.never())
          : source;
    }
  },

  /** Some waiters come later than they were asked to. */
  WAITERS_COME_LATE("OrderInLine") {
    @Override
    <T> Flux<T> in(Call.Kind kind, Flux<T> source, Chance chance, Instance instance) {
      return kind == Call.Kind.ACQUIRE && chance.oneIn(3)
          ? source.delaySubscription(SHORT, instance.process().publishOn())
          : source;
    }
  },

  /** Waiters sleep instead of asking. */
  WAITERS_SLEEP("NobodyIdle") {
    @Override
    <T> Flux<T> in(Call.Kind kind, Flux<T> source, Chance chance, Instance instance) {
      return kind == Call.Kind.ACQUIRE && chance.oneIn(10)
          ? source.delaySubscription(Duration.ofSeconds(9), instance.process().publishOn())
          : source;
    }
  },

  /** Each attempt is made five times. */
  ATTEMPTS_ARE_MULTIPLIED("FewCommands") {
    @Override
    LockStore in(LockStore store, Chance chance) {
      return new ForwardingStore(store) {
        @Override
        public Mono<Grant> acquire(
            LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
          Mono<Grant> once = super.acquire(keys, token, metadata, ttl, fenced);
          return Flux.range(0, 5).concatMap(i -> once).last();
        }
      };
    }
  },

  /** A release that is not sent is said to have worked. */
  RELEASES_ARE_SWALLOWED("NothingLeft") {
    @Override
    LockStore in(LockStore store, Chance chance) {
      return new ForwardingStore(store) {
        @Override
        public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
          return chance.oneIn(5) ? Mono.just(true) : super.release(keys, token, keepFor);
        }
      };
    }
  },

  /** A release is never answered, so that its lease does not end. */
  RELEASES_ARE_UNANSWERED("NothingLeft") {
    @Override
    LockStore in(LockStore store, Chance chance) {
      return new ForwardingStore(store) {
        @Override
        public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
          return super.release(keys, token, keepFor).then(Mono.never());
        }
      };
    }
  };

  private static final Duration SHORT = Duration.ofMillis(50);

  private final String rule;

  Plant(String rule) {
    this.rule = rule;
  }

  /** The rule that is to find it. */
  String rule() {
    return rule;
  }

  /** Plants it in a store. */
  LockStore in(LockStore store, Chance chance) {
    return store;
  }

  /** Plants it in a server. */
  void in(Server server) {}

  /** Plants it between the library and a subscriber. */
  <T> Flux<T> in(Call.Kind kind, Flux<T> source, Chance chance, Instance instance) {
    return source;
  }

  private static Grant fresh() {
    return new Grant.Granted(true, OptionalLong.empty());
  }

  private static Grant lower(Grant grant) {
    return grant instanceof Grant.Granted granted && granted.fencingToken().isPresent()
        ? new Grant.Granted(
            granted.fresh(), OptionalLong.of(granted.fencingToken().getAsLong() - 10_000_000))
        : grant;
  }
}
