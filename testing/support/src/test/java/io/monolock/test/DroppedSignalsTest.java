// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** The effect of the extension on tests, seen by running other classes. */
class DroppedSignalsTest {

  private static Events run(Class<?> tests) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(tests))
        .execute()
        .testEvents();
  }

  private static void dropAnError() {
    LatePublisher<String> source = new LatePublisher<>();
    Disposable subscription = Mono.fromDirect(source).map(String::strip).subscribe();
    subscription.dispose();
    source.error(new IllegalStateException("too late"));
  }

  private static void dropAValue() {
    Operators.onNextDropped("value", Context.empty());
  }

  @Test
  void aDroppedErrorFailsItsTestAndNoOther() {
    Events events = run(DropsAnError.class);
    events.assertStatistics(statistics -> statistics.succeeded(1).failed(1));
    events
        .failed()
        .assertThatEvents()
        .haveExactly(
            1,
            event(
                finishedWithFailure(
                    message(
                        text ->
                            text.contains("errors [java.lang.IllegalStateException: too late]")))));
  }

  @Test
  void aDroppedValueFailsTheTest() {
    run(DropsAValue.class)
        .failed()
        .assertThatEvents()
        .haveExactly(
            1, event(finishedWithFailure(message(text -> text.contains("values [value]")))));
  }

  @Test
  void whatIsDroppedInBeforeEachAndAfterEachCounts() {
    run(DropsAround.class)
        .failed()
        .assertThatEvents()
        .haveExactly(
            1, event(finishedWithFailure(message(text -> text.contains("values [value, value]")))));
  }

  @Test
  void allowedSignalsFailNoTestAndCanBeRead() {
    run(Allows.class).assertStatistics(statistics -> statistics.succeeded(1).failed(0));
  }

  @ExtendWith(DroppedSignals.class)
  @TestMethodOrder(MethodOrderer.MethodName.class)
  static class DropsAnError {
    @Test
    void aDropsAnError() {
      dropAnError();
    }

    @Test
    void bDropsNothing() {}
  }

  @ExtendWith(DroppedSignals.class)
  static class DropsAValue {
    @Test
    void dropsAValue() {
      dropAValue();
    }
  }

  @ExtendWith(DroppedSignals.class)
  static class DropsAround {
    @BeforeEach
    void before() {
      dropAValue();
    }

    @Test
    void dropsNothing() {}

    @AfterEach
    void after() {
      dropAValue();
    }
  }

  @ExtendWith(DroppedSignals.class)
  static class Allows {
    @Test
    void dropsWhatItExpects(DroppedSignals dropped) {
      dropped.allow();
      dropAnError();
      dropAValue();
      assertThat(dropped.errors()).singleElement().matches(e -> e.getMessage().equals("too late"));
      assertThat(dropped.values()).containsExactly("value");
    }
  }
}
