// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockLostException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** A body that may run as long as a lock is held, and leaves the lock to whoever has it. */
final class WhileHeld<T> extends Flux<T> {

  private final HeldLock lock;
  private final Publisher<T> body;

  WhileHeld(HeldLock lock, Publisher<T> body) {
    this.lock = lock;
    this.body = body;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> subscriber) {
    Watching guard = new Watching(subscriber);
    subscriber.onSubscribe(guard);
    lock.keeper().add(guard);
    if (lock.loss() == null) {
      guard.begin();
    }
    guard.stopIfEnded();
  }

  /** The guard of one subscription, which relies on the lock while the body runs. */
  private final class Watching extends GuardedSubscriber<T> implements KeepAlive.Watcher {

    private volatile boolean ended;

    Watching(CoreSubscriber<? super T> subscriber) {
      super(lock, subscriber);
    }

    @Override
    Publisher<T> body() {
      return body;
    }

    @Override
    @Nullable LockLostException loss() {
      return lock.loss();
    }

    @Override
    public void lost(LockLostException loss) {
      abort(loss);
    }

    @Override
    void bodyEnded() {
      ended = true;
      stopIfEnded();
    }

    /** Again after it was added: the subscriber may have cancelled before. */
    void stopIfEnded() {
      if (ended) {
        lock.keeper().remove(this);
      }
    }
  }
}
