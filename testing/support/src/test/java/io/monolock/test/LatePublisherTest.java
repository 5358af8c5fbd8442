// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

class LatePublisherTest {

  private final LatePublisher<String> publisher = new LatePublisher<>();
  private final List<String> signals = new ArrayList<>();
  private Subscription subscription;

  @BeforeEach
  void subscribe() {
    publisher.subscribe(
        new Subscriber<>() {
          @Override
          public void onSubscribe(Subscription given) {
            subscription = given;
          }

          @Override
          public void onNext(String value) {
            signals.add(value);
          }

          @Override
          public void onError(Throwable error) {
            signals.add(error.getMessage());
          }

          @Override
          public void onComplete() {
            signals.add("complete");
          }
        });
  }

  @Test
  void signalsArriveAlsoAfterACancellation() {
    subscription.request(2);
    publisher.next("one");
    subscription.cancel();
    subscription.cancel();
    publisher.next("two");
    publisher.complete();
    assertThat(signals).containsExactly("one", "two", "complete");
    assertThat(publisher.subscriptions()).isEqualTo(1);
    assertThat(publisher.cancellations()).isEqualTo(1);
  }

  @Test
  void anErrorArrivesAlsoAfterACancellation() {
    subscription.cancel();
    publisher.error(new IllegalStateException("late"));
    assertThat(signals).containsExactly("late");
  }

  @Test
  void aValueThatWasNotRequestedIsRefused() {
    assertThat(publisher.cancellations()).isZero();
    assertThatThrownBy(() -> publisher.next("one")).hasMessageContaining("has requested no value");
    subscription.request(1);
    publisher.next("one");
    assertThatThrownBy(() -> publisher.next("two")).hasMessageContaining("has requested no value");
    subscription.request(Long.MAX_VALUE);
    subscription.request(Long.MAX_VALUE);
    publisher.next("three");
    publisher.next("four");
    assertThat(signals).containsExactly("one", "three", "four");
  }

  @Test
  void nothingFollowsTheLastSignal() {
    subscription.request(1);
    publisher.complete();
    assertThatThrownBy(publisher::complete).hasMessageContaining("sent already");
    assertThatThrownBy(() -> publisher.next("one")).hasMessageContaining("sent already");
    assertThat(signals).containsExactly("complete");
  }
}
