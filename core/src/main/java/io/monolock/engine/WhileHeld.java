// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockLostException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** A body that runs as long as a lock is held, and does not release it at its end. */
final class WhileHeld<T> extends Flux<T> {

  private final HeldLock lock;
  private final Publisher<T> body;

  WhileHeld(HeldLock lock, Publisher<T> body) {
    this.lock = lock;
    this.body = body;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> subscriber) {
    WatchingSubscriber guardedBody = new WatchingSubscriber(subscriber);
    subscriber.onSubscribe(guardedBody);
    lock.sharedKeepAlive().add(guardedBody);
    if (lock.loss() == null) {
      guardedBody.begin();
    }
    guardedBody.stopIfEnded();
  }

  /** One subscription, which keeps the lock alive while the body runs. */
  private final class WatchingSubscriber extends GuardedSubscriber<T>
      implements KeepAlive.LossListener {

    private volatile boolean ended;

    WatchingSubscriber(CoreSubscriber<? super T> subscriber) {
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

    /** Called again once it was added: the subscriber may have cancelled before. */
    void stopIfEnded() {
      if (ended) {
        lock.sharedKeepAlive().remove(this);
      }
    }
  }
}
