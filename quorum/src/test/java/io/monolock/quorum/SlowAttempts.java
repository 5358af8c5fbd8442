// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.test.CommandProxy;
import io.monolock.test.RedisServer;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The way to a member on which the attempts of a waiter can be held up, and nothing else is: they
 * go over a connection of their own, which is tracked.
 */
final class SlowAttempts implements AutoCloseable {

  private static final int PATIENCE_SECONDS = 30;

  private final String key;
  private final CountDownLatch passed = new CountDownLatch(1);
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final CommandProxy proxy;
  private volatile boolean holding;

  SlowAttempts(RedisServer member, String key) {
    this.key = key;
    this.proxy = CommandProxy.before(member, this::overOneConnection);
  }

  String uri() {
    return proxy.uri();
  }

  /** Waits until an attempt has gone through, as all do at first. */
  void awaitPassed() {
    await(passed, "an attempt that passes");
  }

  /** Holds up all further attempts. */
  void hold() {
    holding = true;
  }

  /** Waits until an attempt is held up. */
  void awaitHeld() {
    await(held, "an attempt that is held up");
  }

  /** Lets all attempts arrive. */
  void goOn() {
    goOn.countDown();
  }

  @Override
  public void close() {
    goOn();
    proxy.close();
  }

  private CommandProxy.Rule overOneConnection() {
    AtomicBoolean isTracked = new AtomicBoolean();
    return command -> {
      if (command.contains("TRACKING")) {
        isTracked.set(true);
      } else if (isTracked.get() && command.contains(key)) {
        attempt();
      }
      return Optional.empty();
    };
  }

  private void attempt() {
    if (holding) {
      held.countDown();
      await(goOn, "that attempts go on");
    } else {
      passed.countDown();
    }
  }

  private static void await(CountDownLatch latch, String what) {
    try {
      assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(what).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
