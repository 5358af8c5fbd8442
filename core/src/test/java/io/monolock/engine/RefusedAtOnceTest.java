// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** A store that begins to refuse for good, in the thread that asks. */
class RefusedAtOnceTest {

  private static final int WAITERS = 10_000;
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofMinutes(1)).waitAtMost(Duration.ofMinutes(1));

  private final ScriptedStore store = new ScriptedStore(InMemoryLockStore.create());
  private final ReactiveLocker locker = ReactiveLocker.create(store);
  private final Map<Object, Integer> told = new ConcurrentHashMap<>();

  @Test
  void allWaitersEndWithTheRefusal() {
    locker.acquire("a", OPTIONS).block(Duration.ofSeconds(5));
    for (int i = 0; i < WAITERS; i++) {
      locker
          .acquire("a", OPTIONS)
          .subscribe(lock -> {}, e -> told.merge(reason(e), 1, Integer::sum));
    }
    store.always(
        ScriptedStore.StoreOperation.ACQUIRE,
        ScriptedStore.fails(StoreProblem.Reason.PERMISSION, false));

    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () ->
                assertThat(told)
                    .as("errors of %s waiters", WAITERS)
                    .containsOnly(entry(StoreProblem.Reason.PERMISSION, WAITERS)));
  }

  private static Object reason(Throwable e) {
    return e instanceof LockStoreException trouble ? trouble.reason() : e.getClass();
  }
}
