// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.memory.InMemoryLockStore;
import io.monolock.spring.Locked;
import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.store.LockStore;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** What can never work fails the start of the application, which says where and why. */
class BadlyLockedTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(LockedAutoConfiguration.class, MonolockAutoConfiguration.class))
          .withBean("store", LockStore.class, InMemoryLockStore::create);

  private void fails(Class<?> type, String method, String... why) {
    fails(runner.withBean(type), type, method, why);
  }

  private static void fails(
      ApplicationContextRunner withType, Class<?> type, String method, String... why) {
    withType.run(
        context ->
            assertThat(causesOf(context.getStartupFailure()))
                .filteredOn(e -> String.valueOf(e.getMessage()).startsWith("@Locked on "))
                .first()
                .satisfies(
                    e ->
                        assertThat(e)
                            .hasMessageStartingWith("@Locked on " + type.getName() + "." + method)
                            .hasMessageContainingAll(why)));
  }

  private static Stream<Throwable> causesOf(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
  }

  static class ReturnsText {
    @Locked(keys = "'a'")
    Mono<String> fine() {
      return Mono.empty();
    }

    @Locked(keys = "'a'")
    String text(int one, String two) {
      return "";
    }
  }

  static class ReturnsNothing {
    @Locked(keys = "'a'")
    void nothing() {}
  }

  static class ReturnsFuture {
    @Locked(keys = "'a'")
    Future<String> future() {
      return CompletableFuture.completedFuture("");
    }
  }

  @Test
  void anotherReturnType() {
    fails(
        ReturnsText.class,
        "text(int, String)",
        "returns java.lang.String",
        "return a Mono, a Flux or a CompletableFuture",
        "Mono.fromCallable");
    fails(ReturnsNothing.class, "nothing()", "returns void");
    fails(ReturnsFuture.class, "future()", "returns java.util.concurrent.Future");
  }

  static class IsPrivate {
    @Locked(keys = "'a'")
    private Mono<String> work() {
      return Mono.empty();
    }
  }

  static class IsFinal {
    @Locked(keys = "'a'")
    final Mono<String> work() {
      return Mono.empty();
    }
  }

  static class IsStatic {
    @Locked(keys = "'a'")
    static Mono<String> work() {
      return Mono.empty();
    }
  }

  @Test
  void aMethodThatCannotBeOverridden() {
    for (Class<?> type : List.of(IsPrivate.class, IsFinal.class, IsStatic.class)) {
      fails(type, "work()", "private, final or static", "open");
    }
  }

  static final class FinalClass {
    @Locked(keys = "'a'")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  record FinalRecord(int number) {
    FinalRecord() {
      this(1);
    }

    @Locked(keys = "'a'")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static sealed class SealedClass permits OfSealed {
    @Locked(keys = "'a'")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static final class OfSealed extends SealedClass {}

  static class Singleton {
    static final Singleton ONE = new Singleton();

    private Singleton() {}

    @Locked(keys = "'a'")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  @Test
  void aClassThatCannotBeExtended() {
    for (Class<?> type : List.of(FinalClass.class, FinalRecord.class, SealedClass.class)) {
      fails(type, "work()", "its class is final or sealed", "make it an open class");
    }
    fails(
        runner.withBean(Singleton.class, () -> Singleton.ONE),
        Singleton.class,
        "work()",
        "only private constructors");
  }

  static class UnknownVariable {
    @Locked(keys = {"'a'", "'order:' + #order.id"})
    Mono<String> work(long id) {
      return Mono.empty();
    }
  }

  static class BadExpression {
    @Locked(keys = "'order:' + ")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class NoExpression {
    @Locked(keys = {})
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class EmptyExpression {
    @Locked(keys = "")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  @Test
  void anExpressionThatCannotGiveAKey() {
    fails(
        UnknownVariable.class,
        "work(long)",
        "\"'order:' + #order.id\"",
        "names #order",
        "[id, p0, a0, root, this]",
        "-parameters");
    fails(BadExpression.class, "work()", "cannot be understood");
    fails(NoExpression.class, "work()", "either key, a text, or keys, expressions, but has none");
    fails(EmptyExpression.class, "work()", "cannot be understood");
  }

  static class TextAsExpression {
    @Locked(keys = "nightly")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class TextAsSubtraction {
    @Locked(keys = "nightly-job")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class TextAsPath {
    @Locked(keys = {"'a'", "method + reports.nightly"})
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class TextAsCall {
    @Locked(keys = "#p0.concat(nightly(7))")
    Mono<String> work(String id) {
      return Mono.empty();
    }
  }

  static class TextWithColon {
    @Locked(keys = "nightly:job")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class ParameterWithoutSign {
    @Locked(keys = "'order:' + id")
    Mono<String> work(long id) {
      return Mono.empty();
    }
  }

  @Test
  void aTextThatIsNotQuoted() {
    fails(
        TextAsExpression.class,
        "work()",
        "names nightly,",
        "key = \"nightly\"",
        "keys = \"'nightly'\"");
    fails(TextAsSubtraction.class, "work()", "names nightly,", "key = \"nightly-job\"");
    fails(TextAsPath.class, "work()", "names reports,");
    fails(TextAsCall.class, "work(String)", "names nightly,");
    fails(TextWithColon.class, "work()", "cannot be understood", "key = \"nightly:job\"");
    fails(ParameterWithoutSign.class, "work(long)", "names id,", "the parameter is #id");
  }

  static class BothKinds {
    @Locked(key = "a", keys = "'b'")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class ExpressionAsText {
    @Locked(key = "order:#id")
    Mono<String> work(long id) {
      return Mono.empty();
    }
  }

  @Test
  void aTextThatIsNoText() {
    fails(BothKinds.class, "work()", "either key, a text, or keys, expressions, but has both");
    fails(ExpressionAsText.class, "work(long)", "names the parameter #id", "write", "as keys");
  }

  static class BadTime {
    @Locked(keys = "'a'", ttl = "soon")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class TimeWithoutUnit {
    @Locked(keys = "'a'", ttl = "30")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class TimeOutOfRange {
    @Locked(keys = "'a'", ttl = "1ms")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class BadFlag {
    @Locked(
        keys = "'a'",
        fenced = {true, false})
    Mono<String> work() {
      return Mono.empty();
    }
  }

  static class BadPlaceholder {
    @Locked(keys = "'a'", ttl = "${nowhere}")
    Mono<String> work() {
      return Mono.empty();
    }
  }

  @Test
  void anOptionThatBreaksARule() {
    fails(BadTime.class, "work()", "ttl must be a time with a unit, like 10s", "was soon");
    fails(TimeWithoutUnit.class, "work()", "ttl must be a time with a unit, like 10s", "was 30");
    fails(TimeOutOfRange.class, "work()", "ttl must be between 10 ms and 365 days");
    fails(BadFlag.class, "work()", "fenced must be true or false, was 2 values");
  }

  @Test
  void anUnknownPlaceholder() {
    runner
        .withBean(BadPlaceholder.class)
        .run(
            context ->
                assertThat(context).getFailure().rootCause().hasMessageContaining("nowhere"));
  }
}
