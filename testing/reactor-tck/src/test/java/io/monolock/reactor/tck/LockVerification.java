// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor.tck;

import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import reactor.core.publisher.Flux;

/** A locker, and a new key for each Publisher, as the TCK leaves some without an end. */
public abstract class LockVerification extends PublisherVerification<Long> {

  /**
   * Some of the optional tests subscribe twice at the same time, and leave the second subscriber
   * waiting for the first: nothing may come of that while later tests run.
   */
  static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofHours(1));

  private static final long SIGNAL_WITHIN_MILLIS = 2_000;
  private static final long SILENT_FOR_MILLIS = 100;
  private static final AtomicLong KEYS = new AtomicLong();

  final ReactiveLocker locker = ReactiveLocker.create(InMemoryLockStore.create());

  LockVerification() {
    super(new TestEnvironment(SIGNAL_WITHIN_MILLIS, SILENT_FOR_MILLIS));
  }

  static String newKey() {
    return "key:" + KEYS.incrementAndGet();
  }

  static Flux<Long> numbers(long elements) {
    return Flux.fromStream(() -> LongStream.range(0, elements).boxed());
  }

  /** The verified Publisher over a source. */
  abstract Publisher<Long> over(Flux<Long> source);

  @Override
  public Publisher<Long> createPublisher(long elements) {
    return over(numbers(elements));
  }

  @Override
  public Publisher<Long> createFailedPublisher() {
    return over(Flux.error(new IllegalArgumentException("the source fails")));
  }
}
